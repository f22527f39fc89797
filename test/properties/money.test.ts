import { strict as assert } from "node:assert";
import fc from "fast-check";
import type { UsageRow } from "../../src/contract/engine/metered-usage.ts";
import { BUDGET_NAMES, limitsOf, periodEnd, periodOf, shownAmount } from "../../src/contract/orchestrator/budgets.ts";
import { type ModelPrice, readPriceTable } from "../../src/contract/orchestrator/price-table.ts";
import { reservationOf, spentOf } from "../../src/engine/usage/spending.ts";
import { amountOf, mostOf } from "../../src/orchestrator/rules/call-cost.ts";
import { property } from "../helpers/property.ts";

const DAY = "2026-05-01";
const NOW = Date.parse(`${DAY}T12:00:00Z`);
const MICRO = 1_000_000n;

/** An amount from 0 to 1,000,000 with at most six decimals, as an operator writes it, and in micro-units. */
const amount = fc
  .oneof(fc.bigInt({ min: 0n, max: 20n * MICRO }), fc.bigInt({ min: 0n, max: MICRO * MICRO }))
  .map((micros) => {
    const [whole, rest] = [
      micros / MICRO,
      String(micros % MICRO)
        .padStart(6, "0")
        .replace(/0+$/, ""),
    ];
    return { text: rest === "" ? String(whole) : `${whole}.${rest}`, micros: Number(micros) };
  });
const micros = fc.oneof(fc.nat({ max: 20_000_000 }), fc.integer({ min: 0, max: 10 ** 12 }));
const price: fc.Arbitrary<ModelPrice> = fc
  .record({ input: micros, output: micros, cache_read: micros, cache_write: micros })
  .map((prices) => ({ provider: "p", model: "m", valid_from: DAY, ...prices }));
const tokens = fc
  .tuple(
    fc.nat({ max: 2_000_000 }),
    fc.nat({ max: 100_000 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  .map(([input, output, cached, written]) => {
    const cache_read = Math.floor(input * cached);
    return { input, output, cache_read, cache_write: Math.floor((input - cache_read) * written) };
  });
type Tokens = typeof tokens extends fc.Arbitrary<infer Value> ? Value : never;
const rowOf = ({ input, output, cache_read, cache_write }: Tokens) =>
  ({
    day: DAY,
    provider: "p",
    model: "m",
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cache_read,
    cache_write_tokens: cache_write,
  }) as UsageRow;

property("prices are read to the last millionth", [amount, amount], (input, output) => {
  const text = `{"currency": "EUR", "prices": [{"provider": "p", "model": "m", "valid_from": "${DAY}", "input": ${input.text}, "output": ${output.text}}]}`;
  const read = readPriceTable(text);
  assert.ok(read.kind === "read", JSON.stringify(read));
  const [found] = read.table.prices;
  assert.deepEqual([found?.input, found?.output, found?.cache_read], [input.micros, output.micros, input.micros]);
  const [limit] = limitsOf({ cost_per_day: Number(input.text) });
  assert.deepEqual(limit, { name: "cost_per_day", limit: input.micros });
  assert.equal(shownAmount("cost_per_day", input.micros), Number(input.text));
});

property(
  "what calls cost together does not depend on their order or on how they are summed up",
  [price, fc.array(tokens, { maxLength: 8 })],
  (price, calls) => {
    const spent = (given: readonly Tokens[]) =>
      spentOf("cost_per_day", { rows: given.map(rowOf), prices: [price], now: NOW });
    const sum = (key: keyof Tokens) => calls.reduce((total, call) => total + call[key], 0);
    const together = {
      input: sum("input"),
      output: sum("output"),
      cache_read: sum("cache_read"),
      cache_write: sum("cache_write"),
    };
    assert.equal(spent(calls), spent(calls.toReversed()));
    assert.equal(spent(calls), spent([together]));
    const apart = calls.map((call) => amountOf("cost_per_day", call, price)).reduce((total, one) => total + one, 0);
    assert.ok(
      apart <= spent(calls) && spent(calls) < apart + Math.max(1, calls.length),
      "each call rounds off less than one",
    );
  },
);

property("no call costs more than was reserved for it, and none less than nothing", [price, tokens], (price, call) => {
  const cost = amountOf("cost_per_day", call, price);
  assert.ok(cost >= 0);
  assert.ok(cost <= mostOf("cost_per_day", call, price), "by the daemon");
  assert.ok(cost <= reservationOf(call, price).micros, "by the engine");
  assert.equal(cost, spentOf("cost_per_day", { rows: [rowOf(call)], prices: [price], now: NOW }), "both count alike");
});

property(
  "a period ends where the next one begins",
  [fc.constantFrom(...BUDGET_NAMES), fc.integer({ min: 0, max: 2 ** 42 })],
  (name, at) => {
    const end = periodEnd(name, at);
    assert.ok(end > at);
    assert.equal(periodOf(name, end - 1), periodOf(name, at));
    assert.ok(periodOf(name, end) > periodOf(name, at));
  },
);
