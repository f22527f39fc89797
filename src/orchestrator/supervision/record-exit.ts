import { type RestartVerdict, judgeExit } from "../rules/restart.ts";
import { findEngineById, findSettledEngine } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { exitEventData } from "./last-error.ts";
import type { HostContext } from "../host-context.ts";
import type { UnexpectedExit } from "./supervisor.ts";

/**
 * Writes an exit and the verdict of the restart rule in one move. Returns the engine in `backoff` or `failed`, or null
 * when a request has taken it over. Rejects while the database is unavailable.
 */
export async function recordExit(
  host: Pick<HostContext, "db" | "states" | "backend" | "live" | "breaker" | "now" | "logger">,
  exit: UnexpectedExit,
): Promise<EngineRow | null> {
  const row = await findEngineById(host.db, exit.id);
  // A stop or a destroy caused the exit.
  if (row === null || row.incarnation !== exit.incarnation) return null;
  // An earlier attempt wrote it, but its result was lost.
  if (row.state === "backoff") return row;
  if (!exit.from.some((state) => state === row.state)) return null;
  const verdict = judgeExit({
    exitCode: exit.lastError.exit_code,
    healthyForMs: exit.healthyForMs,
    history: { count: row.restart_count, windowStartedAt: row.restart_window_started_at?.getTime() ?? null },
    now: host.now(),
    random: Math.random(),
  });
  const engine = (await writeExit(host, exit, verdict)) ?? (await findEarlierWrite(host, exit));
  if (engine !== null) host.breaker.recordFailure(exit.id, host.live.ids());
  return engine;
}

/** An earlier attempt may have committed only after this one had read the row. */
async function findEarlierWrite(
  host: Pick<HostContext, "db">,
  { id, incarnation }: UnexpectedExit,
): Promise<EngineRow | null> {
  const row = await findSettledEngine(host.db, id);
  return row?.incarnation === incarnation && row.state === "backoff" ? row : null;
}

async function writeExit(
  host: Pick<HostContext, "states" | "backend" | "now" | "logger">,
  exit: UnexpectedExit,
  verdict: RestartVerdict,
): Promise<EngineRow | null> {
  const { id, incarnation, from, lastError } = exit;
  const { count, windowStartedAt } = verdict.history;
  const now = host.now();
  const set = {
    handle: null,
    last_error: JSON.stringify(lastError),
    restart_count: count,
    restart_window_started_at: windowStartedAt === null ? null : new Date(windowStartedAt),
  };
  const data = exitEventData(lastError);
  const fields = { engine_id: id, incarnation, last_error: lastError, verdict: verdict.reason };
  if (verdict.kind === "restart") {
    host.logger.warn(fields, "restarting an engine after an unexpected exit");
    const next = new Date(now + verdict.delayMs);
    return host.states.move({
      id,
      from,
      incarnation,
      to: "backoff",
      set: { ...set, next_restart_at: next },
      event: { reason: lastError.reason, data: { ...data, next_at: next.toISOString(), restart: count } },
    });
  }
  host.logger.warn(fields, "gave up restarting an engine after an unexpected exit");
  // Released before the move: afterwards a start may hold the socket again.
  host.backend.sockets.release(id);
  return host.states.move({
    id,
    from,
    incarnation,
    to: "failed",
    set: { ...set, stopped_at: new Date(now), stop_reason: verdict.reason },
    event: { reason: `${lastError.reason}; ${verdict.reason}`, data },
  });
}
