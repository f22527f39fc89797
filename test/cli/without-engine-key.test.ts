import t from "tap";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { orchctlFor } from "../helpers/orchctl.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";

const ADMIN = { ORCH_ADMIN_KEY: "admin-key-of-the-test" };

t.setTimeout(120_000);

// The product keeps its engines' keys, so that orchctl has none.
const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t), env: ADMIN });
const orchctl = orchctlFor(t, daemon);
const { body: product } = await daemon.admin("/products/register", { method: "POST", body: { slug: "demo" } });
t.teardown(() => daemon.admin("/products/demo?force=true", { method: "DELETE" }));
const PLATFORM = { ORCH_PLATFORM_KEY: product.platform_api_key };
await daemon.platform(product.platform_api_key, "/engines/provision", { method: "POST", body: { user_id: "alice" } });

const openSessions = async () => (await daemon.admin("/admin/sessions")).body.data as readonly object[];

for (const [who, env] of [
  ["an operator with the admin key alone", { ...ADMIN, ORCH_PRODUCT: "demo" }],
  ["an operator with both keys", { ...ADMIN, ...PLATFORM }],
  ["a product with its platform key alone", PLATFORM],
] as const)
  t.test(`${who} reads and changes conversations of a running product`, async (t) => {
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await orchctl(args, { env });
      t.equal(code, 0, stderr);
      return stdout;
    };
    t.match(await run("chat", "alice", "/say Hello", "--task", "t1"), "Hello");
    t.match(await run("tasks", "list", "alice"), /idle .* t1\n/);
    t.match(await run("tasks", "show", "alice", "t1"), "Hello");
    t.match(await run("turns", "list", "alice"), "t1");
    t.match(await run("questions", "alice"), /no /);
    t.match(await run("memory", "list", "alice", "episodes"), /./);
    t.match(await run("tasks", "rename", "alice", "t1", who), who);
    t.match(await run("tasks", "delete", "alice", "t1", "--yes"), "deleted t1");
    t.same(await openSessions(), [], "no session is left open");
  });

t.test("a call of operators says which key it needs", async (t) => {
  const refused = await orchctl(["tools", "list", "alice"], { env: PLATFORM });
  t.equal(refused.code, 3);
  t.match(refused.stderr, /INSUFFICIENT_SCOPE[^]*it needs ORCH_ENGINE_KEY, or the admin key/);
  t.equal((await orchctl(["tools", "list", "alice"], { env: { ...ADMIN, ...PLATFORM } })).code, 0);
});

t.test("what an operator's session changed is in the audit log", async (t) => {
  const { stdout } = await orchctl(["audit", "list", "--json"], { env: ADMIN });
  t.match(stdout, "engine.called");
});

t.test("a stored key that the backend has replaced is left out", async (t) => {
  const env = PLATFORM;
  t.match((await orchctl(["engines", "rotate-key", "alice"], { env })).code, 0);
  await daemon.platform(product.platform_api_key, "/engines/alice/rotate-key", {
    method: "POST",
    body: { grace_s: 0 },
  });
  const { code, stderr } = await orchctl(["tasks", "list", "alice"], { env });
  t.equal(code, 0, stderr);
});

t.test("a wrong admin key is refused as such", async (t) => {
  const env = { ORCH_ADMIN_KEY: "wrong-admin-key-of-the-test", ORCH_PRODUCT: "demo" };
  const ran = await orchctl(["tasks", "list", "alice"], { env });
  t.equal(ran.code, 3);
  t.match(ran.stderr, "INVALID_ADMIN_KEY");
});
