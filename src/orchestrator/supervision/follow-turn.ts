import type { EngineHost, HostContext, InFlight, Records, Runtime } from "../host-context.ts";
import { type BegunTurn, REMOVED, findTurn } from "../engine-calls/engine-turns.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { RunRow } from "../store/schedule-tables.ts";
import { findRun, moveRun } from "../store/scheduled-runs.ts";
import { type RunEnd, endRun, insertRunEvent } from "./end-run.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";

/** How long one call waits for the end of a running turn. */
export const FOLLOW_MS = 20_000;

/** Follows the turn of a run until it ends, waits for a person, or its engine ends. */
export async function followTurn(host: EngineHost, run: RunRow, turnId: string): Promise<void> {
  for (;;) {
    const live = host.live.get(run.engine_id);
    // The turn continues with the engine's next start.
    if (live === undefined || host.stopping.aborted) return;
    if (await updateRun(host, run, { live, turnId, waitMs: FOLLOW_MS })) return;
  }
}

/** Records the states of an engine's turns that no one follows, before the engine sleeps. */
export async function collectRuns(host: Records & InFlight & Runtime, live: LiveEngine): Promise<void> {
  for (const id of host.runs.unfollowed(live.id)) {
    const run = await findRun(host.db, id);
    if (run === null || run.turn_id === null || run.ended_at !== null) host.runs.ended({ id, engine_id: live.id });
    else await updateRun(host, run, { live, turnId: run.turn_id, waitMs: 0 });
  }
}

/** Reads the state of a run's turn and records it. False while the turn runs. */
async function updateRun(
  host: Records & InFlight & Runtime,
  run: RunRow,
  { live, turnId, waitMs }: { readonly live: LiveEngine; readonly turnId: string; readonly waitMs: number },
): Promise<boolean> {
  const target = { url: live.url, token: live.controlToken };
  const found = await findTurn(target, { turn_id: turnId }, { waitMs, signal: host.stopping });
  if (found.kind === "failed") return true;
  if (found.kind === "found") return recordTurn(host, run, found.turn);
  const error = found.kind === "removed" ? REMOVED : "the engine no longer has the turn";
  await endRun(host, run, { state: "failed", error });
  return true;
}

/** Records the state of a run's turn. False while the turn runs. */
export async function recordTurn(host: Records & InFlight & Runtime, run: RunRow, turn: BegunTurn): Promise<boolean> {
  const { turn_id: turnId, state, error } = turn;
  if (state === "waiting_for_human") {
    await recordWaiting(host, run, turn);
    return true;
  }
  if (state === "running") {
    await recordRun(host, run, { to: state, error: null, turnId });
    return false;
  }
  await endRun(host, run, { ...endOf(state, error), turnId });
  return true;
}

const endOf = (state: "completed" | "errored", error: string | null): RunEnd =>
  state === "completed" ? { state: "done", error: null } : { state: "failed", error: `the turn ended with ${error}` };

/** Records that a run's turn waits for a person, with an event for each request that it waits for. */
const recordWaiting = (
  host: Records & Runtime,
  { id }: RunRow,
  { turn_id: turnId, request_id: requestId = null }: BegunTurn,
) =>
  retryUntilStopped(host, "state of a scheduled run", () =>
    host.db.transaction().execute(async (trx) => {
      const move = { id, to: "waiting_for_human", requestId, error: null, turnId } as const;
      const waiting = await moveRun(trx, { ...move, at: new Date(host.now()) });
      if (waiting !== null) await insertRunEvent(host, trx, { type: "turn.waiting", run: waiting });
    }),
  );

export const recordRun = (
  host: Pick<HostContext, "db" | "now" | "logger" | "stopping">,
  { id }: RunRow,
  move: { readonly to: "waiting" | "running"; readonly error: string | null; turnId?: string },
) =>
  retryUntilStopped(host, "state of a scheduled run", () =>
    moveRun(host.db, { id, ...move, at: new Date(host.now()) }),
  );
