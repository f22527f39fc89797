import t from "tap";
import type { LastError } from "../../../src/contract/orchestrator/records.ts";
import { type WatchedEngine, engineWarning } from "../../../src/orchestrator/rules/engine-warning.ts";

const error = (more: Partial<LastError> = {}): LastError => ({
  phase: "run",
  reason: "the engine exited",
  exit_code: 1,
  signal: null,
  oom: false,
  log_tail: [],
  at: "2026-11-01T12:00:20.000Z",
  ...more,
});
const engine = (more: Partial<WatchedEngine>): WatchedEngine => ({
  product: "demo",
  user_id: "alice",
  state: "running",
  restart_count: 0,
  restart_window_started_at: new Date("2026-11-01T12:00:00.000Z"),
  stop_reason: null,
  last_error: null,
  ...more,
});
const HOW = "orchctl show alice --product demo";

t.test("three crashes in 20 s are a warning, though the engine runs; fewer are none", async (t) => {
  const crashed = engine({ restart_count: 3, last_error: error() });
  t.equal(engineWarning(crashed), `engine of alice (demo) crashed 3 times in 20 s (exit code 1): ${HOW}`);
  t.equal(engineWarning({ ...crashed, restart_count: 2 }), null);
  t.match(engineWarning({ ...crashed, last_error: error({ oom: true }) }), "(out of memory)");
  t.match(engineWarning({ ...crashed, last_error: error({ exit_code: null, signal: "SIGSEGV" }) }), "(signal SIGSEGV)");
});

t.test("a state that needs a person is a warning of its own", async (t) => {
  t.equal(
    engineWarning(engine({ state: "failed", stop_reason: "5 restarts in 10 minutes" })),
    `engine of alice (demo) failed (5 restarts in 10 minutes): ${HOW}`,
  );
  t.match(engineWarning(engine({ state: "stop_failed" })), "did not stop, and its processes still run");
  t.match(engineWarning(engine({ state: "unhealthy" })), "does not answer its health probes");
  t.match(engineWarning(engine({ state: "backoff", restart_count: 1 })), "crashed and waits to restart");
  for (const state of ["running", "stopped", "starting"] as const) t.equal(engineWarning(engine({ state })), null);
});
