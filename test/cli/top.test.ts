import t from "tap";
import type { EngineUsage } from "../../src/contract/orchestrator/records.ts";
import { engine, fault, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEY = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ADMIN_KEY: "admin-key-of-the-test" };
const usage = (more: Partial<EngineUsage>): EngineUsage => ({
  cpu_percent: 1,
  memory_mb: 80,
  disk_mb: null,
  active_turns: 0,
  work: null,
  sampled_at: "2026-11-01T12:00:00.000Z",
  ...more,
});
const ENGINES = [
  engine({ user_id: "idle", usage: usage({}) }),
  engine({
    user_id: "busy",
    usage: usage({ cpu_percent: 90.5, active_turns: 2, disk_mb: 7, work: { turns: 3, failed_turns: 0, tokens: 4200 } }),
  }),
  engine({ user_id: "big", usage: usage({ memory_mb: 900 }) }),
  engine({ user_id: "gone", state: "stopped", running: false, pid: null }),
];

t.test("engines are sorted by what they use, and filtered by their user", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines", { body: { data: ENGINES, next_cursor: null } });
  const top = async (...options: string[]) => (await orchctl(["top", "--once", ...options], { env: KEY })).stdout;
  const users = (shown: string) =>
    shown
      .split("\n")
      .slice(2, -1)
      .map((line) => line.split(" ")[0]);
  const shown = await top();
  t.match(
    shown,
    /^4 engines, 3 running, CPU 93 %, memory 1060 MB, turns 2, tokens 4200\nUSER +STATE +CPU +MEMORY +TURNS +TOKENS +RESTARTS +DISK\n/,
  );
  t.match(shown, /^busy +running +90\.5 % +80 MB +2 +4200 +0 +7 MB$/m);
  t.same(users(shown), ["busy", "big", "idle", "gone"]);
  t.same(users(await top("--sort", "memory")), ["big", "busy", "idle", "gone"]);
  t.same(users(await top("--sort", "user", "--user", "b")), ["big", "busy"]);
  t.equal((await orchctl(["top", "--sort", "colour"], { env: KEY })).code, 2);
});

t.test("the live view goes on while the daemon does not answer, and ends with 130 at Ctrl-C", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  let calls = 0;
  server.on("GET /engines", () =>
    ++calls === 2 ? fault(503, "SERVICE_UNAVAILABLE", "starting") : { body: { data: ENGINES, next_cursor: null } },
  );
  const ran = await orchctl(["top", "--interval", "1", "--json"], {
    env: KEY,
    onOutput: (printed, child) => void (printed.split('"data"').length > 2 && child.kill("SIGINT")),
  });
  t.equal(ran.code, 130);
  t.match(JSON.parse(ran.stdout.split("\n")[0]!), { data: [{ user_id: "busy" }, {}, {}, {}] });
  t.match(JSON.parse(ran.stderr), { note: /starting .*; retrying$/ });
});

t.test("a wrong key ends the live view", async (t) => {
  const server = await startFakeServer(t);
  server.on("GET /engines", fault(401, "INVALID_PLATFORM_KEY", "wrong key"));
  t.equal((await orchctlFor(t, server)(["top"], { env: KEY })).code, 3);
});
