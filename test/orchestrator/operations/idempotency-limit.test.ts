import { sql } from "kysely";
import t from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import { IdempotencyLimit } from "../../../src/orchestrator/operations/idempotency-limit.ts";
import { callOnce } from "../../../src/orchestrator/operations/call-once.ts";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import { claimKey, trimResponses } from "../../../src/orchestrator/store/idempotency-keys.ts";
import { onEachServer } from "../../helpers/database.ts";
import { until } from "../../helpers/until.ts";

/** Responses of the last hours. The highest number is the newest. */
const fill = (db: Db, scope: string, { count, bytes }: { count: number; bytes: number }) =>
  sql`insert into idempotency_keys (scope, key, fingerprint, claim, host_id, status, body, expires_at)
      select ${scope}, 'k' || n, 'f', gen_random_uuid(), 'h', 201, repeat('x', ${bytes}), now() + interval '20 hours' + n * interval '1 millisecond'
      from generate_series(1, ${count}::int) n`.execute(db);
async function keysOf(db: Db, scope: string): Promise<string[]> {
  const rows = await db.selectFrom("idempotency_keys").select("key").where("scope", "=", scope).execute();
  return rows.map(({ key }) => key).sort();
}

onEachServer(t, "the oldest answers go beyond a number or a size; calls in progress stay", async (t, { db }) => {
  await fill(db, "prd_1", { count: 9, bytes: 100 });
  await fill(db, "prd_2", { count: 9, bytes: 100 });
  const inProgress = {
    scope: "prd_1",
    key: "now",
    claim: crypto.randomUUID(),
    fingerprint: "f",
    hostId: "h",
    keptS: 1,
  };
  await claimKey(db, inProgress);
  t.equal(await trimResponses(db, { scope: "prd_1", keys: 7, bytes: 10_000 }), 2);
  t.same(await keysOf(db, "prd_1"), ["k3", "k4", "k5", "k6", "k7", "k8", "k9", "now"]);
  t.equal(await trimResponses(db, { scope: null, keys: 100, bytes: 450 }), 8);
  t.same(await keysOf(db, "prd_1"), ["k6", "k7", "k8", "k9", "now"]);
  t.same(await keysOf(db, "prd_2"), ["k6", "k7", "k8", "k9"]);
});

onEachServer(t, "a product that goes on making keys does not fill the database", async (t, { db }) => {
  await fill(db, "prd_1", { count: 56_000, bytes: 10 });
  await fill(db, "prd_2", { count: 300, bytes: 1_000_000 });
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const parts = {
    db,
    settings: { portRange: { hostId: "h" } } as Parameters<typeof callOnce>[0]["settings"],
    logger: createLogger("test", "silent"),
    stopping: stopping.signal,
    idempotencyLimit: new IdempotencyLimit(),
  };
  const answer = { result: null, keep: { status: 201, body: "{}" } };
  for (let n = 0; n < 500; n++)
    await callOnce(parts, { productId: "prd_1", key: `new${n}`, fingerprint: "f" }, () => Promise.resolve(answer));
  await until("the oldest are gone", async () => (await keysOf(db, "prd_1")).length === 50_000);
  t.notOk((await keysOf(db, "prd_1")).includes("k1"));
  t.ok((await keysOf(db, "prd_1")).includes("new0"));
  t.equal((await keysOf(db, "prd_2")).length, 300, "of a product that made none");
  await parts.idempotencyLimit.trimAll(db);
  t.equal((await keysOf(db, "prd_2")).length, 67, "at most 64 MiB");
});
