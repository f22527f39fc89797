import t from "tap";
import { DEFAULT_POLICY } from "../../src/contract/orchestrator/policy.ts";
import { ENGINE_POLICY_FIELDS } from "../../src/contract/orchestrator/engine-policy.ts";
import { engine, fault, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEYS = { ORCH_ADMIN_KEY: "admin-key-of-the-test", ORCH_PLATFORM_KEY: "orchp_of_the_test", ORCH_PRODUCT: "demo" };
const AT = "2026-11-01T12:00:00.000Z";
const plan = (policy: object) => ({ name: "pro", policy, engines: 3, created_at: AT, updated_at: AT });
const valuesOf = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(ENGINE_POLICY_FIELDS.map((name) => [name, values[name]]));
const held = {
  plan: "pro",
  own: {},
  policy: { ...valuesOf({ ...DEFAULT_POLICY }), memory_mb: 2048 },
  from: { ...valuesOf(Object.fromEntries(ENGINE_POLICY_FIELDS.map((name) => [name, "default"]))), memory_mb: "plan" },
};

t.test("a plan is set from options and a file, shown, listed and deleted, with the admin key", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const run = async (args: string[], input?: string) => {
    const ran = await orchctl(args, { env: KEYS, ...(input !== undefined && { input }) });
    t.equal(ran.code, 0, ran.stderr);
    return ran.stdout;
  };
  const budgets = { engine: { cost_per_month: 20 }, warn_at: 0.8 };
  server.on("PUT /products/demo/plans/pro", { body: plan({ memory_mb: 2048, budgets }) });
  const shown = await run(["plans", "set", "pro", "--memory", "2048", "--budget", "engine.cost_per_month=20"]);
  t.same(server.calls.at(-1)?.body, { policy: { memory_mb: 2048, budgets } });
  t.equal(server.calls.at(-1)?.headers["x-admin-key"], KEYS.ORCH_ADMIN_KEY);
  t.match(shown, /memory_mb +2048 MiB\nbudgets +engine: cost_per_month 20/);
  await run(["plans", "set", "pro", "--policy-file", "-", "--idle-stop", "5m"], '{"memory_mb": 128}');
  t.same(server.calls.at(-1)?.body, { policy: { memory_mb: 128, idle_stop_s: 300 } });
  await run(["plans", "set", "pro", "--user-requests-per-minute", "none"]);
  t.same(server.calls.at(-1)?.body, { policy: { user_requests_per_minute: null } });
  server.on("GET /products/demo/plans", { body: { data: [plan({ memory_mb: 2048 })] } });
  t.match(await run(["plans", "list"]), /PLAN +ENGINES +CHANGED +SETS\npro +3 .*memory_mb/);
  server.on("GET /products/demo/plans/pro", { body: plan({ fallback: [] }) });
  t.match(await run(["plans", "show", "pro"]), /engines +3\n[^]*fallback +none/);
  server.on("DELETE /products/demo/plans/pro", { body: { deleted: true, engines_moved: 3 } });
  t.equal(
    await run(["plans", "delete", "pro", "--replace-by", "free", "--yes"]),
    "deleted pro; engines that have free now: 3\n",
  );
});

t.test("an engine gets a plan, or none, with the platform key", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("PATCH /engines/alice", { body: engine({ plan: "pro" }) });
  const ran = await orchctl(["engines", "plan", "alice", "pro"], { env: KEYS });
  t.match(ran, { code: 0, stdout: "alice has the plan pro\n" });
  t.same(server.calls.at(-1)?.body, { plan: "pro" });
  t.equal(server.calls.at(-1)?.headers["x-platform-key"], KEYS.ORCH_PLATFORM_KEY);
  t.match(await orchctl(["engines", "plan", "alice", "--none"], { env: KEYS }), { stdout: "alice has no plan\n" });
  t.same(server.calls.at(-1)?.body, { plan: null });
  server.on("POST /engines/provision", { status: 201, body: { ...engine({ plan: "pro" }), engine_api_key: null } });
  await orchctl(["engines", "provision", "alice", "--plan", "pro"], { env: KEYS });
  t.match(server.calls.at(-1)?.body, { user_id: "alice", plan: "pro" });
});

t.test("what holds for an engine is shown with where it comes from, and set for it alone", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines/alice/policy", { body: held });
  const { stdout } = await orchctl(["engines", "policy", "alice"], { env: KEYS });
  t.match(stdout, /plan: pro\n[^]*memory_mb +2048 MiB +plan\n[^]*max_schedules +20 +default/);
  server.on("PUT /products/demo/engines/alice/policy", { body: held });
  await orchctl(["engines", "policy", "alice", "--memory", "4096"], { env: KEYS });
  t.same(server.calls.at(-1)?.body, { policy: { memory_mb: 4096 } });
  await orchctl(["engines", "policy", "alice", "--clear"], { env: KEYS });
  t.same(server.calls.at(-1)?.body, { policy: {} });
});

t.test("what contradicts itself is refused before any call, and a refusal says what to do", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  for (const [args, words] of [
    [["engines", "plan", "alice"], /expected either a plan or --none/],
    [["engines", "plan", "alice", "pro", "--none"], /expected either a plan or --none/],
    [["engines", "policy", "alice", "--clear", "--memory", "512"], /expected either --clear or what to set/],
    [["plans", "set", "pro", "--budget", "product.cost_per_day=1"], /those of product are of the policy/],
  ] as const) {
    const ran = await orchctl([...args], { env: KEYS });
    t.equal(ran.code, 2, args.join(" "));
    t.match(ran.stderr, words);
  }
  t.equal(server.calls.length, 0);
  const message = "3 engines have the plan pro; replace_by gives them another one";
  server.on("DELETE /products/demo/plans/pro", fault(409, "PLAN_IN_USE", message));
  const refused = await orchctl(["plans", "delete", "pro", "--yes"], { env: KEYS });
  t.match(refused.stderr, /3 engines have the plan pro/);
});
