import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { LONG } from "./parts/long.ts";
import { openSite } from "./parts/site.ts";

const GRACE_S = LONG ? 20 : 3;
const PER_SECOND = 100;
const site = await openSite(t, { engine: "well-behaved" });

type Ask = (key: string) => Promise<number>;

/** Calls with the keys in turn, the first key once after `last`; gives each status, by key and by when it was sent. */
async function load(keys: readonly string[], call: Ask, last: number) {
  const answers: Promise<{ key: string; at: number; status: number }>[] = [];
  for (let count = 0, at = 0; at <= last || count % keys.length !== 1; count++) {
    const key = keys[count % keys.length] ?? "";
    at = Date.now();
    answers.push(call(key).then((status) => ({ key, at, status })));
    await sleep(1000 / PER_SECOND);
  }
  return Promise.all(answers);
}

/** Loads with the old and the new key over the whole grace and beyond. */
async function rotateUnderLoad(
  call: Ask,
  { old, fresh, expiresAt }: { old: string; fresh: string; expiresAt: number },
) {
  const answers = await load([old, fresh], call, expiresAt + 1500);
  // A call that is asked at the edge may be answered on either side of it.
  const within = answers.filter(({ at }) => at < expiresAt - 500);
  const after = answers.filter(({ key, at }) => key === old && at > expiresAt + 1000);
  return {
    within: within.length,
    refusedWithin: within.filter(({ status }) => status === 401).length,
    after: after.length,
    acceptedAfter: after.filter(({ status }) => status !== 401).length,
    refusedNew: answers.filter(({ key, status }) => key === fresh && status === 401).length,
  };
}

t.test("an engine's old and new key are both good for the grace, and the old one no longer", async (t) => {
  const made = await site.product.post("/engines/provision", { user_id: "ann" });
  const rotated = await site.product.post("/engines/ann/rotate-key", { grace_s: GRACE_S });
  const call: Ask = async (key) =>
    (await ask(made.body.url, "/hitl/pending", { headers: { "x-engine-key": key } })).status;
  const seen = await rotateUnderLoad(call, {
    old: made.body.engine_api_key,
    fresh: rotated.body.engine_api_key,
    expiresAt: Date.parse(rotated.body.previous_key_expires_at),
  });
  t.ok(seen.within > 0 && seen.after > 0, `${seen.within} calls within the grace, ${seen.after} after it`);
  t.match(seen, { refusedWithin: 0, acceptedAfter: 0, refusedNew: 0 });
});

t.test("a product's keys overlap during a rotation too", async (t) => {
  const product = await site.newProduct();
  const fresh = "orchp-another-key-of-the-operators-own-making";
  const api_key_hash = createHash("sha256").update(fresh).digest("hex");
  const expiresAt = Date.now() + GRACE_S * 1000;
  const put = await site.daemon.admin(`/products/${product.id}/platform-key-hash`, {
    method: "PUT",
    body: { api_key_hash, grace_s: GRACE_S },
  });
  t.equal(put.status, 200);
  const call: Ask = async (key) => (await site.daemon.platform(key, "/engines")).status;
  const seen = await rotateUnderLoad(call, { old: product.key, fresh, expiresAt });
  t.ok(seen.within > 0 && seen.after > 0, `${seen.within} calls within the grace, ${seen.after} after it`);
  t.match(seen, { refusedWithin: 0, acceptedAfter: 0, refusedNew: 0 });
});
