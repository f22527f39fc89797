import t from "tap";
import { SAMPLE_COUNT, SAMPLE_MEASURES } from "../../src/contract/orchestrator/sample-measures.ts";
import { engine, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEY = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ADMIN_KEY: "admin-key-of-the-test" };
const none = () => Array.from({ length: SAMPLE_COUNT }, (): number | null => null);
const samples = (values: Record<string, readonly number[]>) => ({
  interval_s: 10,
  from: "2026-11-01T11:00:10.000Z",
  samples: Object.fromEntries(
    SAMPLE_MEASURES.map((name) => [name, [...none(), ...(values[name] ?? [])].slice(-SAMPLE_COUNT)]),
  ),
});

t.test("the last hour of an engine is a line for each interval since its first sample", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const body = samples({
    cpu_percent: [
      ...Array.from({ length: 30 }, () => 10),
      ...Array.from({ length: 30 }, (_, at) => (at < 27 ? 0 : 80)),
    ],
    memory_mb: [...Array.from({ length: 59 }, () => 80), 91.2],
    active_turns: Array.from({ length: 60 }, () => 1),
    turns: Array.from({ length: 60 }, () => 2),
  });
  server.on("GET /engines/alice", { body: engine() });
  server.on("GET /admin/engines/eng_1/samples", { body });
  const { stdout, stderr } = await orchctl(["samples", "alice"], { env: KEY });
  const lines = stdout.split("\n").map((line) => line.split(/ {2,}/));
  t.same(
    lines,
    [
      ["TIME", "CPU", "CPU OVER TIME", "MEMORY", "DISK", "RUNNING", "TURNS", "FAILED", "TOKENS"],
      ["2026-11-01 11:50:10", "10 %", "▂▂▂▂▂▂▂▂▂▂", "80 MB", "-", "1", "60", "-", "-"],
      ["2026-11-01 11:55:10", "8 %", "▁▁▁▁▁▁▁▁▁█", "91.2 MB", "-", "1", "60", "-", "-"],
      [""],
    ],
    stderr,
  );
  const json = await orchctl(["samples", "alice", "--json"], { env: KEY });
  t.same(JSON.parse(json.stdout), body);
});

t.test("without a user it is the host with the number of its engines, and needs only the admin key", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const env = { ORCH_ADMIN_KEY: KEY.ORCH_ADMIN_KEY };
  server.on("GET /admin/samples", { body: { ...samples({ cpu_percent: [5] }), engines: [...none().slice(1), 3] } });
  const { stdout } = await orchctl(["samples", "--interval", "1m"], { env });
  t.match(stdout, /^TIME .* ENGINES\n2026-11-01 11:59:10 +5 % +█( +-){6} +3\n$/);
  server.on("GET /admin/samples", { body: { ...samples({}), engines: none() } });
  t.equal((await orchctl(["samples"], { env })).stdout, "nothing was measured in the last hour\n");
});
