import type { EngineState, LastError } from "../../contract/orchestrator/requests.ts";

/** What a warning needs to know of an engine. */
export interface WatchedEngine {
  readonly product: string;
  readonly user_id: string;
  readonly state: EngineState;
  readonly restart_count: number;
  readonly restart_window_started_at: Date | null;
  readonly stop_reason: string | null;
  readonly last_error: LastError | null;
}

/** The number of crashes within the restart window that is a warning, although the engine runs again. */
export const MANY_CRASHES = 3;

/** A warning about an engine for operators. Null without a problem. */
export function engineWarning(engine: WatchedEngine): string | null {
  const problem = problemOf(engine);
  if (problem === null) return null;
  const { product, user_id: user } = engine;
  return `engine of ${user} (${product}) ${problem}: orchctl show ${user} --product ${product}`;
}

function problemOf(engine: WatchedEngine): string | null {
  const crashes = crashesOf(engine);
  switch (engine.state) {
    case "failed":
      return `failed${engine.stop_reason === null ? "" : ` (${engine.stop_reason})`}${crashes === null ? "" : `, ${crashes}`}`;
    case "stop_failed":
      return "did not stop, and its processes still run";
    case "unhealthy":
      return `does not answer its health probes${crashes === null ? "" : `, ${crashes}`}`;
    case "backoff":
      return crashes ?? "crashed and waits to restart";
    default:
      return crashes;
  }
}

/** `crashed 3 times in 20 s (exit code 1)`; null for few crashes. */
function crashesOf({ restart_count: count, restart_window_started_at: since, last_error: error }: WatchedEngine) {
  if (count < MANY_CRASHES) return null;
  const last = error === null || since === null ? null : (Date.parse(error.at) - since.getTime()) / 1000;
  const span = last === null || last < 0 ? "" : ` in ${Math.max(1, Math.round(last))} s`;
  return `crashed ${count} times${span}${causeOf(error)}`;
}

function causeOf(error: LastError | null): string {
  if (error === null) return "";
  if (error.oom) return " (out of memory)";
  if (error.signal !== null) return ` (signal ${error.signal})`;
  return error.exit_code === null ? "" : ` (exit code ${error.exit_code})`;
}
