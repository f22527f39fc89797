import { delay } from "../../shared/clock.ts";
import { outsideRequests } from "../../shared/request-context.ts";
import type { EngineHost } from "../host-context.ts";
import { findEngineById } from "../store/engines.ts";
import type { RunRow } from "../store/schedule-tables.ts";
import { endRun } from "./end-run.ts";
import { findTurn } from "../engine-calls/engine-turns.ts";
import { FOLLOW_MS, followTurn, recordRun, recordTurn } from "./follow-turn.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import { keyOf, mayStart, startRun, wakeForRun } from "./start-run.ts";

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 15_000;

/**
 * Starts the turn of a run and follows it until it ends or waits for a person. Runs of one schedule are serialized. Never
 * rejects: `resumeOpenRuns` continues a run that stays open.
 */
export async function executeRun(host: EngineHost, run: RunRow): Promise<void> {
  const unfollow = host.runs.follow(run);
  if (unfollow === null) return;
  const work = () => (run.state === "waiting" ? start(host, run) : resume(host, run));
  try {
    await outsideRequests(() => host.lanes.run(`runs of ${run.schedule_id ?? run.id}`, work));
  } catch (error) {
    host.logger.error({ err: error, run_id: run.id, engine_id: run.engine_id }, "failed to execute a scheduled run");
  } finally {
    unfollow();
  }
}

async function start(host: EngineHost, run: RunRow): Promise<void> {
  let reason = run.error;
  for (let waitMs = FIRST_WAIT_MS; !host.stopping.aborted; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    const attempt = await retryUntilStopped(host, "start of a scheduled run", () =>
      host.runs.starts.add(() => startRun(host, run), { lane: run.product_id }),
    );
    switch (attempt?.kind) {
      case undefined:
        return;
      case "gone":
        return host.runs.ended(run);
      case "ended":
        return endRun(host, run, attempt);
      case "started":
        if (!(await recordTurn(host, run, attempt.turn))) await followTurn(host, run, attempt.turn.turn_id);
        return;
      case "queued":
        if (reason !== QUEUED) await recordRun(host, run, { to: "waiting", error: QUEUED });
        reason = QUEUED;
        await untilTaken(host, run);
        break;
      case "later":
        if (attempt.reason !== reason) await recordRun(host, run, { to: "waiting", error: attempt.reason });
        reason = attempt.reason;
        await delay(waitMs, host.stopping);
        break;
      default:
        return attempt satisfies never;
    }
  }
}

const QUEUED = "the conversation has a turn in flight; the message waits in its inbox";

/**
 * Waits until the message of a run waits no longer, or its time is over. An engine that sleeps is not woken: its turn
 * waits for a person, and whatever wakes it continues here.
 */
async function untilTaken(host: EngineHost, run: RunRow): Promise<void> {
  const key = keyOf(run);
  while (!host.stopping.aborted && mayStart(host, run)) {
    const live = host.live.get(run.engine_id);
    if (live !== undefined && !live.isStopping) {
      const target = { url: live.url, token: live.controlToken };
      const found = await findTurn(target, key, { waitMs: FOLLOW_MS, signal: host.stopping });
      if (found.kind !== "queued" && found.kind !== "failed") return;
      if (found.kind === "queued") continue;
    } else if ((await findEngineById(host.db, run.engine_id)) === null) return;
    await delay(MAX_WAIT_MS, host.stopping);
  }
}

/** Continues a run whose turn an earlier daemon started, or that waited for a person. */
async function resume(host: EngineHost, run: RunRow): Promise<void> {
  const engine = await findEngineById(host.db, run.engine_id);
  if (engine === null || run.turn_id === null) return host.runs.ended(run);
  // A sleeping engine has no running turn: the turn has ended, or waits for a person.
  if (run.state === "running") await wakeForRun(host, engine);
  await followTurn(host, run, run.turn_id);
}
