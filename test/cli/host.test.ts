import t from "tap";
import { ISOLATION_PARTS } from "../../src/contract/orchestrator/host.ts";
import { ENGINE_STATES, type HostStatus, type IsolationPart } from "../../src/contract/orchestrator/requests.ts";
import { engine, fault, product, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const leads = { status: "ok", version: "9.9.9", uptime_s: 1, role: "leader", leader: "http://10.0.0.1:7700" };
const KEY = { ORCH_ADMIN_KEY: "admin-key-of-the-test", ORCH_PLATFORM_KEY: "orchp_of-the-test" };

function status(more: Partial<HostStatus> = {}): HostStatus {
  const engines = Object.fromEntries(ENGINE_STATES.map((state) => [state, 0])) as HostStatus["engines"];
  return {
    version: "9.9.9",
    host_id: "host_1",
    uptime_s: 90_061,
    draining: false,
    schedules_paused: false,
    breaker: "closed",
    engines: { ...engines, running: 12, failed: 2 },
    awake: { engines: 12, limit: 700, engine_mb: 38 },
    boots: { starting: 1, waiting: 3 },
    spares: { ready: 4, target: 5, problem: null },
    ports: { min: 20_000, max: 20_099, total: 100, taken: 14, free: 80, resting: 4, quarantined: 2 },
    load: { average: 0.5, cores: 2, memory_available_mb: 1000, memory_total_mb: 4000, disk_free_mb: 9000 },
    isolation: {
      mode: "auto",
      parts: ISOLATION_PARTS.map((name) => ({ name, active: true, problem: null, fix: null, detail: null })),
    },
    backup: { every_h: null, newest_at: null, running: false, problem: null },
    orphans: [],
    warnings: [],
    ...more,
  };
}

t.test("status shows what runs, what is free, and what needs attention", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /health", { body: leads });
  server.on("GET /admin/status", { body: status() });
  const calm = await orchctl(["status"], { env: KEY });
  t.equal(calm.code, 0, calm.stderr);
  for (const line of [
    /orchd +9\.9\.9, up 1 d 1 h\n/,
    /leader +this daemon\n/,
    /new engines +accepted\n/,
    /restarts +not paused\n/,
    /engines +14: 12 running, 2 failed\n/,
    /boots +1 starting, 3 waiting\n/,
    /spares +4 of 5 ready\n/,
    /ports +14 of 100 taken \(20000-20099\), 80 free, 4 resting, 2 in quarantine\n/,
    /load +0\.50 on 2 cores\n/,
    /backup +none, not scheduled\n/,
    /isolation +auto: engine, user, tools, network, limits\n/,
    /orphans +none\n/,
  ]) {
    t.match(calm.stdout, line);
  }
  t.notMatch(calm.stdout, "warning");
  const orphans = [{ incarnation: "i9", pids: [77, 78], fix: "kill 77 78" }];
  const warnings = ["ports\u001b[2J overlap"];
  server.on("GET /admin/status", { body: status({ draining: true, breaker: "open", orphans, warnings, uptime_s: 0 }) });
  server.on("GET /health", { body: { ...leads, role: "follower" } });
  const { stdout } = await orchctl(["status"], { env: KEY });
  t.match(stdout, /leader +http:\/\/10\.0\.0\.1:7700, which this daemon follows\n/);
  t.match(stdout, /new engines +refused: the host is draining \(orchctl resume\)/);
  t.match(stdout, /restarts +paused: too many engines fail at once/);
  t.match(stdout, /orphans +i9 \(pid 77, 78\)/);
  t.match(stdout, String.raw`warning: ports\u{1b}[2J overlap`);
  const json = JSON.parse((await orchctl(["status", "--json"], { env: KEY })).stdout);
  t.match(json, { orphans, role: "follower", leader: leads.leader });
});

t.test("status names each part of the isolation that is missing, and what would add it", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const parts: IsolationPart[] = [
    { name: "engine", active: true, problem: "signals get out", fix: "use a newer kernel", detail: null },
    { name: "user", active: false, problem: "no\u001b[2J right", fix: "start as root", detail: null },
  ];
  server.on("GET /health", { body: leads });
  server.on("GET /admin/status", { body: status({ isolation: { mode: "auto", parts } }) });
  const { stdout } = await orchctl(["status"], { env: KEY });
  t.match(stdout, /^isolation +auto: engine$/m);
  t.match(stdout, /^isolation: engine: signals get out; use a newer kernel$/m);
  t.match(stdout, /^isolation: user: no.*right; start as root$/m);
  t.notMatch(stdout, "\u001b");
  server.on("GET /admin/status", { body: status({ isolation: { mode: "off", parts } }) });
  const off = await orchctl(["status"], { env: KEY });
  t.match(off.stdout, /^isolation +off: engine$/m);
  t.notMatch(off.stdout, "start as root", "with off nothing is expected");
});

t.test("drain and resume need the admin key", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /admin/drain", { body: status({ draining: true }) });
  server.on("POST /admin/resume", { body: status() });
  const drained = await orchctl(["drain"], { env: KEY });
  t.equal(drained.stdout, "The host takes no new engines; 12 running engines continue. orchctl resume ends this.\n");
  t.equal((await orchctl(["resume"], { env: KEY })).stdout, "The host takes new engines.\n");
  t.same(
    server.calls.map(({ method, path, headers }) => [method, path, headers["x-admin-key"]]),
    [
      ["POST", "/admin/drain", KEY.ORCH_ADMIN_KEY],
      ["POST", "/admin/resume", KEY.ORCH_ADMIN_KEY],
    ],
  );
  t.equal((await orchctl(["drain", "now"], { env: KEY })).code, 2);
  server.on("POST /admin/drain", fault(401, "INVALID_ADMIN_KEY", "wrong key"));
  t.equal((await orchctl(["drain"], { env: KEY })).code, 3);
  server.on("POST /admin/drain", fault(503, "SERVICE_UNAVAILABLE", "the database is away"));
  t.equal((await orchctl(["drain"], { env: KEY })).code, 7);
});

t.test("engines list --all names the product of each engine, and --product limits it to one", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const engines = [engine(), engine({ id: "eng_2", product_id: "prd_gone", user_id: "bob" })];
  server.on("GET /admin/engines", { body: { data: engines, next_cursor: null } });
  server.on("GET /products", { body: { data: [product()], next_cursor: null } });
  server.on("GET /products/demo", { body: product() });
  const { stdout } = await orchctl(["engines", "list", "--all", "--state", "running"], { env: KEY });
  const words = stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3));
  t.same(words.slice(0, 3), [
    ["PRODUCT", "USER", "STATE"],
    ["demo", "alice", "running"],
    ["prd_gone", "bob", "running"],
  ]);
  t.ok(server.calls.some(({ path }) => path === "/admin/engines?limit=200&state=running"));
  t.ok(server.calls.every(({ headers }) => headers["x-platform-key"] === undefined));
  const one = await orchctl(["engines", "list", "--all", "--product", "demo", "--json"], { env: KEY });
  t.same(JSON.parse(one.stdout), { data: engines.slice(0, 1), next_cursor: null });
});

t.test("the key of identity tokens is rotated, at once where it leaked", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const rotated = { kid: "idk_2", signs_from: "2026-11-24T12:00:00.000Z", replaces: "idk_1", published: 2 };
  server.on("POST /admin/identity/rotate-key", { body: rotated });
  const ran = await orchctl(["identity", "rotate-key"], { env: KEY });
  t.equal(ran.stdout, "The key idk_2 is published, and signs from 2026-11-24T12:00:00.000Z.\n", ran.stderr);
  server.on("POST /admin/identity/rotate-key", { body: { ...rotated, replaces: null, published: 1 } });
  const leaked = await orchctl(["identity", "rotate-key", "--at-once"], { env: KEY });
  t.equal(leaked.stdout, "The key idk_2 signs, and no other is published.\n", leaked.stderr);
  t.same(
    server.calls.map(({ body }) => body),
    [{ at_once: false }, { at_once: true }],
  );
});
