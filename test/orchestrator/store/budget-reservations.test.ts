import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import t from "tap";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import { expireReservations, reserveCall, settleCall } from "../../../src/orchestrator/store/budget-reservations.ts";
import { onEachServer } from "../../helpers/database.ts";

const DAY = "2026-11-24";
const budget = (limit: number, more: object = {}) =>
  ({ userId: "", name: "tokens_per_day", period: DAY, limit, amount: 100, ...more }) as const;
const call = (budgets: ReturnType<typeof budget>[], id: string = randomUUID()) => ({
  id,
  productId: "prd_1",
  provider: "anthropic",
  model: "m",
  day: DAY,
  input: 40,
  budgets,
});
const used = (id: string, input: number, output: number) => ({ id, input, output, cache_read: 0, cache_write: 0 });
const period = async (db: Db, userId = "") => {
  const { rows } = await sql<{ granted: string; spent: string }>`
    select granted, spent from budget_periods where product_id = 'prd_1' and user_id = ${userId}`.execute(db);
  return rows[0];
};

onEachServer(t, "of 500 calls at once on a budget of one token one is reserved", async (t, { db }) => {
  const calls = Array.from({ length: 500 }, () => call([budget(1)]));
  const outcomes = await Promise.all(calls.map((one) => reserveCall(db, one, [])));
  t.equal(outcomes.filter(({ kind }) => kind === "reserved").length, 1);
  t.match(
    outcomes.find(({ kind }) => kind === "full"),
    { isSpent: false },
    "the others wait",
  );
  t.same(await period(db), { granted: "100", spent: "0" });
  const id = calls[outcomes.findIndex(({ kind }) => kind === "reserved")]?.id ?? "";
  t.equal((await reserveCall(db, call([budget(1)], id), [])).kind, "reserved", "a repeated question");
  t.equal(await settleCall(db, used(id, 7, 3), []), "prd_1");
  t.equal(await settleCall(db, used(id, 7, 3), []), null, "a repeated settlement");
  t.same(await period(db), { granted: "10", spent: "10" });
  t.match(await reserveCall(db, call([budget(1)]), []), { kind: "full", isSpent: true, spent: 10 });
});

onEachServer(t, "a call is reserved in all of its budgets or in none", async (t, { db }) => {
  const [ofUser, ofProduct] = [budget(50, { userId: "alice" }), budget(1000)];
  t.equal((await reserveCall(db, call([ofUser, ofProduct]), [])).kind, "reserved");
  t.match(await reserveCall(db, call([ofUser, ofProduct]), []), { kind: "full", budget: { userId: "alice" } });
  t.same(await period(db), { granted: "100", spent: "0" });
  t.equal((await reserveCall(db, call([budget(50, { userId: "bob" }), ofProduct]), [])).kind, "reserved");
  t.same(await period(db), { granted: "200", spent: "0" });
});

onEachServer(t, "a call that is not settled in time costs its request, and settles right later", async (t, { db }) => {
  const [lost, slow] = [call([budget(1000)]), call([budget(1000)])];
  for (const one of [lost, slow]) await reserveCall(db, one, []);
  await expireReservations(db, Date.now() + 300_000, []);
  t.same(await period(db), { granted: "200", spent: "0" }, "not before its time");
  await expireReservations(db, Date.now() + 700_000, []);
  await expireReservations(db, Date.now() + 700_000, []);
  t.same(await period(db), { granted: "80", spent: "80" });
  await settleCall(db, used(slow.id, 40, 25), []);
  t.same(await period(db), { granted: "105", spent: "105" });
});

onEachServer(t, "a budget of money counts by the price of the day", async (t, { db }) => {
  const price = { provider: "anthropic", model: "m", valid_from: "2026-01-01" };
  const prices = [{ ...price, input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 }];
  const money = call([budget(1_000_000, { name: "cost_per_day" })]);
  await reserveCall(db, money, prices);
  await settleCall(db, { ...used(money.id, 1000, 100), cache_read: 600 }, prices);
  t.same(await period(db), { granted: "2880", spent: "2880" });
});
