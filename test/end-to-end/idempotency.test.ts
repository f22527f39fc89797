import pg from "pg";
import t from "tap";
import type { Answer } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabase, urlOf } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const database = await freshDatabase(t);
const databaseUrl = urlOf(database);
const db = new pg.Client(database);
await db.connect();
t.teardown(() => db.end());

const dataDir = freshFolder(t);
const slugs: string[] = [];
let products = 0;
let daemon = await start();

/** Products go, and their engines with them, before the last daemon does. */
async function start() {
  const started = await startDaemon(t, { dataDir, databaseUrl });
  t.teardown(async () => {
    for (const slug of slugs.splice(0)) await started.admin(`/products/${slug}?force=true`, { method: "DELETE" });
  });
  return started;
}

const keyed = (key: string, body: unknown) => ({ method: "POST", headers: { "idempotency-key": key }, body });

async function product(policy: Record<string, unknown> = { requests_per_minute: null }) {
  const slug = `p${++products}`;
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug, policy } });
  slugs.push(slug);
  const platformKey = body.platform_api_key as string;
  return {
    slug,
    id: body.id as string,
    platformKey,
    get: (path: string) => daemon.platform(platformKey, path),
    post: (path: string, key: string, sent: unknown) => daemon.platform(platformKey, path, keyed(key, sent)),
    del: (path: string) => daemon.platform(platformKey, path, { method: "DELETE" }),
  };
}
const isReplay = ({ headers }: Answer): boolean => headers["idempotent-replayed"] === "true";
const atRest = (userId: string) => ({ user_id: userId, start: false });

t.test("fifty provisions with one key make one engine, and show its key once", async (t) => {
  const p = await product();
  const all = await Promise.all(
    Array.from({ length: 50 }, () => p.post("/engines/provision", "once", { user_id: "alice" })),
  );
  const first = all.filter((answer) => answer.status === 201 && !isReplay(answer));
  t.equal(first.length, 1);
  const { engine_api_key: shown, ...record } = first[0]?.body ?? {};
  t.match(shown, /^sk-orch-/);
  for (const answer of all.filter((one) => one !== first[0])) {
    if (isReplay(answer)) t.match(answer, { status: 201, body: { id: record.id, engine_api_key: null } });
    else {
      t.match(answer, {
        status: 409,
        body: { error: { code: "OPERATION_IN_PROGRESS" } },
        headers: { "retry-after": "1" },
      });
    }
  }
  t.equal((await p.get("/engines")).body.data.length, 1);
  const again = await p.post("/engines/provision", "once", { user_id: "alice" });
  t.ok(isReplay(again));
  t.same([again.status, again.body], [201, { ...record, engine_api_key: null }], "the first answer, but for its key");

  const rotate = () => p.post("/engines/alice/rotate-key", "rotated", {});
  const rotated = await rotate();
  t.match(rotated, { status: 200, body: { engine_api_key: /^sk-orch-/ } });
  t.match((await rotate()).body, {
    engine_api_key: null,
    previous_key_expires_at: rotated.body.previous_key_expires_at,
  });
  await db.query("update idempotency_keys set expires_at = now() - interval '1 second' where key = 'rotated'");
  const later = await rotate();
  t.notOk(isReplay(later), "an expired key is as good as a new one");
  t.match(later.body.engine_api_key, /^sk-orch-/);

  const rows = JSON.stringify((await db.query("select * from idempotency_keys")).rows);
  for (const secret of [shown, rotated.body.engine_api_key, later.body.engine_api_key, p.platformKey]) {
    t.notOk(rows.includes(secret), "no key is stored");
  }
});

t.test("a key used with another body or another route is a conflict; another product's is another key", async (t) => {
  const [p, q] = [await product(), await product()];
  t.equal((await p.post("/engines/provision", "k", atRest("a"))).status, 201);
  const others: [string, unknown][] = [
    ["/engines/provision", atRest("b")],
    ["/engines/admit", atRest("a")],
    ["/engines/a/start", atRest("a")],
  ];
  for (const [path, body] of others) {
    t.match(await p.post(path, "k", body), { status: 409, body: { error: { code: "IDEMPOTENCY_CONFLICT" } } });
  }
  const made = await q.post("/engines/provision", "k", atRest("b"));
  t.equal(made.status, 201);
  t.match(made.body, { product_id: q.id, engine_api_key: /^sk-orch-/ });
  t.notOk(isReplay(made));
});

t.test("a key that is not 1 to 255 visible characters is refused by name, and nothing is done", async (t) => {
  const p = await product();
  for (const bad of ["", "a b", "x".repeat(256), "\u00e9"]) {
    t.match(await p.post("/engines/provision", bad, atRest("a")), {
      status: 400,
      body: { error: { code: "INVALID_REQUEST", message: /^Idempotency-Key: expected 1 to 255 visible/ } },
    });
  }
  t.same((await p.get("/engines")).body.data, []);
  t.equal((await p.post("/engines/provision", "!~".repeat(127), atRest("a"))).status, 201);
});

t.test("a call that was refused is not kept: its key may be used again", async (t) => {
  const p = await product();
  await p.post("/engines/provision", "first", atRest("a"));
  const refused = await p.post("/engines/provision", "k", atRest("a"));
  t.equal(refused.body.error.code, "ENGINE_ALREADY_EXISTS");
  t.equal((await p.post("/engines/provision", "k", { user_id: "" })).status, 400, "nor is its body");
  await p.del("/engines/a");
  const made = await p.post("/engines/provision", "k", atRest("a"));
  t.equal(made.status, 201);
  t.match(made.body.engine_api_key, /^sk-orch-/);
  t.equal((await daemon.platform("wrong", "/engines/provision", keyed("k", atRest("a")))).status, 401);
});

t.test(
  "an answer is repeated after the daemon has been killed; a product's key and settings are not kept",
  async (t) => {
    const secret = "provider-key-that-must-stay-hidden";
    const sent = { slug: "kept", policy: { engine_env: { LLM_API_KEY: secret } } };
    const register = () => daemon.admin("/products/register", keyed("r", sent));
    const first = await register();
    slugs.push("kept");
    t.equal(first.status, 201);
    await daemon.stop("SIGKILL");
    daemon = await start();
    const again = await register();
    t.ok(isReplay(again));
    t.same([again.status, again.body], [201, { ...first.body, platform_api_key: null }]);
    const rows = JSON.stringify((await db.query("select * from idempotency_keys")).rows);
    for (const hidden of [secret, first.body.platform_api_key]) t.notOk(rows.includes(hidden));
  },
);

t.test("an answer goes out although it cannot be stored, and is stored when that can be done", async (t) => {
  const p = await product();
  const call = p.post("/engines/provision", "k", { user_id: "a" });
  await until("the call is at work", async () => {
    const { rowCount } = await db.query("select from idempotency_keys where scope = $1", [p.id]);
    return rowCount === 1;
  });
  await db.query("alter table idempotency_keys rename to out_of_reach");
  t.match(await call, { status: 201, body: { engine_api_key: /^sk-orch-/ } });
  t.equal((await p.get("/engines/a")).status, 200);
  await db.query("alter table out_of_reach rename to idempotency_keys");
  const replay = await until("the answer is stored", async () => {
    const answer = await p.post("/engines/provision", "k", { user_id: "a" });
    return answer.status === 201 ? answer : null;
  });
  t.ok(isReplay(replay));
});
