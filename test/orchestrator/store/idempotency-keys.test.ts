import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import {
  claimKey,
  releaseInterruptedKeys,
  storeResponse,
  purgeIdempotencyKeys,
  releaseKey,
} from "../../../src/orchestrator/store/idempotency-keys.ts";
import t from "tap";
import { onEachServer } from "../../helpers/database.ts";

const claimOf = (more: object = {}) => ({
  scope: "prd_1",
  key: "k",
  claim: randomUUID(),
  fingerprint: "f1",
  hostId: "host_1",
  keptS: 60,
  ...more,
});
const admin = (more: object) => claimOf({ scope: "admin", ...more });
const answer = { status: 201, body: '{"id":"x"}' };
const expire = (db: Db) => sql`update idempotency_keys set expires_at = now() - interval '1 second'`.execute(db);

onEachServer(t, "of many concurrent claims of a key one wins; the others get its holder", async (t, { db }) => {
  const all = await Promise.all(Array.from({ length: 50 }, () => claimKey(db, claimOf())));
  t.equal(all.filter((one) => one === "claimed").length, 1);
  t.same(
    all.filter((one) => one !== "claimed"),
    Array.from({ length: 49 }, () => ({ fingerprint: "f1", answer: null })),
  );
  t.equal(await claimKey(db, claimOf({ scope: "prd_2" })), "claimed", "another product's key is another key");
});

onEachServer(
  t,
  "an answer is kept until it expires; then one of those who ask takes the key over",
  async (t, { db }) => {
    const first = claimOf();
    await claimKey(db, first);
    await storeResponse(db, first, answer);
    t.same(await claimKey(db, claimOf()), { fingerprint: "f1", answer });
    await expire(db);
    const all = await Promise.all(Array.from({ length: 10 }, () => claimKey(db, claimOf({ fingerprint: "f2" }))));
    t.equal(all.filter((one) => one === "claimed").length, 1);
    t.same(await claimKey(db, claimOf()), { fingerprint: "f2", answer: null }, "nothing of the first use is left");
  },
);

onEachServer(t, "a late result of an earlier use changes nothing", async (t, { db }) => {
  const first = claimOf();
  const second = claimOf();
  await claimKey(db, first);
  await expire(db);
  await claimKey(db, second);
  await storeResponse(db, first, answer);
  await releaseKey(db, first);
  t.same(await claimKey(db, claimOf()), { fingerprint: "f1", answer: null });
  await storeResponse(db, second, answer);
  await releaseKey(db, second);
  t.same(await claimKey(db, claimOf()), { fingerprint: "f1", answer }, "a kept answer is not given back");
});

onEachServer(t, "a key given back while others ask for it is had by one of them", async (t, { db }) => {
  const first = claimOf();
  await claimKey(db, first);
  const [, ...all] = await Promise.all([
    releaseKey(db, first),
    ...Array.from({ length: 20 }, () => claimKey(db, claimOf({ fingerprint: "f2" }))),
  ]);
  const winners = all.filter((one) => one === "claimed").length;
  t.ok(winners === 1 || (winners === 0 && (await claimKey(db, claimOf())) === "claimed"));
});

onEachServer(
  t,
  "what is purged has expired or is nobody's; interrupted calls of one host only are dropped",
  async (t, { db }) => {
    const kept = admin({ key: "kept" });
    await claimKey(db, kept);
    await storeResponse(db, kept, answer);
    await claimKey(db, admin({ key: "interrupted" }));
    await claimKey(db, admin({ key: "elsewhere", hostId: "host_2" }));
    await claimKey(db, claimOf({ scope: "prd_of-no-product" }));
    t.equal(await purgeIdempotencyKeys(db, new Date()), 1);
    t.equal(await releaseInterruptedKeys(db, "host_1"), 1);
    t.equal(await claimKey(db, admin({ key: "interrupted" })), "claimed");
    t.same(await claimKey(db, admin({ key: "elsewhere" })), { fingerprint: "f1", answer: null });
    t.same(await claimKey(db, admin({ key: "kept" })), { fingerprint: "f1", answer });
    await expire(db);
    t.equal(await purgeIdempotencyKeys(db, new Date()), 3);
  },
);
