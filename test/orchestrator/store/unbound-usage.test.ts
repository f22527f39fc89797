import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import t from "tap";
import { periodOf } from "../../../src/contract/orchestrator/budgets.ts";
import { reserveCall, settleCall } from "../../../src/orchestrator/store/budget-reservations.ts";
import { countUnbound } from "../../../src/orchestrator/store/budgets.ts";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import { onEachServer } from "../../helpers/database.ts";

const day = periodOf("tokens_per_day", Date.now());
const reserved = async (db: Db, userId: string) => {
  const id = randomUUID();
  const budget = { userId, name: "tokens_per_day", period: day, limit: 1000, amount: 100 } as const;
  const call = { id, productId: "prd_1", provider: "anthropic", model: "m", day, input: 40, budgets: [budget] };
  await reserveCall(db, call, []);
  return id;
};
/** All that the user's ledger has told of the day. */
const collected = (db: Db, userId: string, tokens: number) =>
  sql`
  insert into usage_days
  values ('prd_1', ${userId}, ${day}, 'anthropic', 'm', ${randomUUID()}, 1, 1, 0, ${tokens}, 0, 0, 0, 0, 0, 0, 0)`.execute(
    db,
  );
const periods = async (db: Db) => {
  const { rows } = await sql<{ user_id: string; granted: string; spent: string }>`
    select user_id, granted, spent from budget_periods order by user_id`.execute(db);
  return rows;
};

onEachServer(t, "what was spent under a plan without budgets counts under the next one", async (t, { db }) => {
  const first = await reserved(db, "alice");
  await settleCall(db, { id: first, input: 7, output: 3, cache_read: 0, cache_write: 0 }, []);
  await reserved(db, "bob");
  // Her calls are not reserved while no budget binds them: they are in her engine's ledger alone.
  await collected(db, "alice", 600);
  await reserved(db, "alice");
  const count = () =>
    db.transaction().execute((trx) => countUnbound(trx, { productId: "prd_1", userId: "alice", prices: [] }));
  await count();
  const expected = [
    { user_id: "alice", granted: "700", spent: "600" },
    { user_id: "bob", granted: "100", spent: "0" },
  ];
  t.same(await periods(db), expected, "with the call in flight");
  await count();
  t.same(await periods(db), expected, "once");
});
