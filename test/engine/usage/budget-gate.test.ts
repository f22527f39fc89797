import t from "tap";
import { type EngineBudgets, NO_ENGINE_BUDGETS } from "../../../src/contract/engine/budgets.ts";
import { UsageTable } from "../../../src/engine/store/usage-table.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { BudgetGate } from "../../../src/engine/usage/budget-gate.ts";
import { UsageMeter } from "../../../src/engine/usage/usage-meter.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { freshFolder } from "../../helpers/folder.ts";

const MODEL = { provider: "p", model: "m" };
const CALL = { ...MODEL, input: () => 60, output: 40 };
const SPENT = { ...MODEL, input: 7, output: 3, cacheRead: 0, cacheWrite: 0, isEstimate: false };
const never = new AbortController().signal;
const NOON = Date.UTC(2026, 10, 30, 12);
const PRICE = {
  ...MODEL,
  valid_from: "2026-01-01",
  input: 2_000_000,
  output: 10_000_000,
  cache_read: 0,
  cache_write: 0,
};

function gateOf(budgets: Partial<EngineBudgets>, waitMs = 60_000) {
  const store = openStore(freshFolder(t));
  t.teardown(() => store.close());
  let time = NOON;
  const now = () => time;
  const table = new UsageTable(store);
  const meter = new UsageMeter({ store, table, logger: createLogger("test", "silent"), now });
  const gate = new BudgetGate({ table, transaction: (work) => store.transaction(work), now, waitMs });
  gate.set({ ...NO_ENGINE_BUDGETS, ...budgets });
  return { gate, meter, at: (ms: number) => void (time = ms) };
}

t.test("one of 200 parallel calls is made on a budget of one", async (t) => {
  const { gate, meter } = gateOf({ own: [{ name: "tokens_per_day", limit: 1 }] });
  let made = 0;
  const refused: string[] = [];
  const call = async () => {
    const admission = await gate.admit(CALL, never);
    if (admission.kind === "refused") {
      refused.push(admission.refusal.details.budget);
      return;
    }
    made++;
    await new Promise(setImmediate);
    meter.modelCall(SPENT);
    admission.release();
  };
  await Promise.all(Array.from({ length: 200 }, call));
  t.equal(made, 1);
  t.same(new Set(refused), new Set(["engine.tokens_per_day"]));
  t.equal(refused.length, 199);
});

t.test("calls run in parallel as far as their reservations fit, and then as others end", async (t) => {
  const { gate, meter } = gateOf({ own: [{ name: "tokens_per_day", limit: 150 }] });
  const [first, second] = await Promise.all([gate.admit(CALL, never), gate.admit(CALL, never)]);
  const third = gate.admit(CALL, never);
  t.match(gate.report(), { spent: [{ spent: 0, held: 200, wanted: 100 }] });
  t.equal(gate.refusal(), null, "a wait is no refusal");
  meter.modelCall(SPENT);
  if (first.kind === "admitted") first.release();
  t.match(await third, { kind: "admitted" }, "10 are spent and 100 reserved");
  t.equal(second.kind, "admitted");
});

t.test("a budget ends with its day or month, and names when", async (t) => {
  const { gate, meter, at } = gateOf({
    own: [
      { name: "tokens_per_day", limit: 10 },
      { name: "tokens_per_month", limit: 20 },
    ],
  });
  meter.modelCall(SPENT);
  t.match(gate.refusal(), {
    message: "the user's budget of 10 tokens a day is spent; it resets at 2026-12-01T00:00:00.000Z",
    details: { budget: "engine.tokens_per_day", limit: 10, spent: 10, retry_after: 12 * 3600 },
  });
  at(Date.UTC(2026, 10, 30, 23, 59, 59, 999));
  t.match(gate.refusal()?.details, { retry_after: 1 });
  at(Date.UTC(2026, 11, 1));
  t.equal(gate.refusal(), null, "the monthly budget starts again too");
  meter.modelCall(SPENT);
  at(Date.UTC(2026, 11, 2));
  t.equal(gate.refusal(), null);
  meter.modelCall(SPENT);
  at(Date.UTC(2026, 11, 3));
  t.match(gate.refusal()?.details, { budget: "engine.tokens_per_month", resets_at: "2027-01-01T00:00:00.000Z" });
});

t.test("money is counted in whole micro-units, and a model without a price is refused", async (t) => {
  const { gate, meter } = gateOf({
    currency: "EUR",
    prices: [PRICE],
    own: [{ name: "cost_per_day", limit: 88 }],
  });
  t.match(await gate.admit({ ...CALL, model: "other" }, never), {
    kind: "refused",
    refusal: { details: { budget: "engine.cost_per_day", reason: "price_unknown" } },
  });
  meter.modelCall(SPENT);
  t.match(
    gate.report(),
    { spent: [{ name: "cost_per_day", spent: 44 }] },
    "7 at 2 and 3 at 10 per million, in millionths",
  );
  meter.modelCall(SPENT);
  t.match(gate.refusal(), { message: /^the user's budget of 0.000088 EUR a day is spent/ });
});

t.test("a share of the product's budget is used up, then waited for, then refused", async (t) => {
  const lease = { name: "tokens_per_day", limit: 1000, period: "2026-11-30", granted: 10, is_spent: false } as const;
  const { gate, meter, at } = gateOf({ leases: [lease] }, 50);
  const first = await gate.admit(CALL, never);
  meter.modelCall(SPENT);
  if (first.kind === "admitted") first.release();
  const waiting = gate.admit(CALL, never);
  t.match(gate.report(), { spent: [{ spent: 10, wanted: 100 }] });
  gate.set({ ...NO_ENGINE_BUDGETS, leases: [{ ...lease, granted: 20 }] });
  const second = await waiting;
  t.equal(second.kind, "admitted", "the daemon has granted more");
  if (second.kind === "admitted") second.release();
  gate.set({ ...NO_ENGINE_BUDGETS, leases: [{ ...lease, granted: 10 }] });
  // The wait itself does not keep this process alive.
  const hold = setInterval(() => undefined, 1000);
  const late = gate.admit(CALL, never);
  // A step of the wall clock does not prolong the wait.
  at(NOON - 3_600_000);
  const refused = await late;
  clearInterval(hold);
  t.match(
    refused,
    { refusal: { message: /the rest of the product.s budget is reserved/, details: { retry_after: 10 } } },
    "a daemon that is away grants nothing",
  );
  gate.set({ ...NO_ENGINE_BUDGETS, leases: [{ ...lease, is_spent: true }] });
  t.match(gate.refusal()?.details, { budget: "product.tokens_per_day", limit: 1000 });
  gate.set(NO_ENGINE_BUDGETS);
  t.equal((await gate.admit(CALL, never)).kind, "admitted", "a budget that is removed lifts the stop at once");
});
