import { delay } from "../../shared/clock.ts";
import { outsideRequests } from "../../shared/request-context.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { type RestartVerdict, judgeExit } from "../rules/restart.ts";
import { findEngineById, findSettledEngine } from "../store/engines.ts";
import { findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { bootEngine } from "./boot-engine.ts";
import type { BootSlot } from "./boot-queue.ts";
import { howItExited } from "./exit-reason.ts";
import { bootDeadline, newIncarnation } from "./new-incarnation.ts";
import { retryMove } from "./retry-move.ts";
import { describeError, endForEvent } from "./last-error.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import type { HostContext } from "../host-context.ts";
import { judgeRemembered, reviveEngine } from "./revive-engine.ts";
import type { UnexpectedExit } from "./unexpected-exit.ts";
import { watchEngine } from "./watch-engine.ts";

/** One lost answer is no absence: the database is away when it is still not there after this. */
const AWAY_MS = 500;

/** From `running` on: watches this life of an engine and, when it ends unasked, starts the next one or gives up. */
export function superviseEngine(o: HostContext, live: LiveEngine): void {
  // Whatever becomes of it later, the call that started it has long been answered.
  outsideRequests(() =>
    watchEngine(o, live, async () => {
      const exit = await live.process.exited;
      if (live.isBeingEnded) return;
      await o.owners.own(live.id, () => ended(o, live, exit));
    }),
  );
}

async function ended(o: HostContext, live: LiveEngine, exit: EngineExit): Promise<void> {
  o.live.remove(live.id, live.incarnation);
  const reason = live.endedBecause ?? `the engine's process exited ${howItExited(exit)}`;
  const lastError = await describeError(o, live.id, { phase: "run", reason, exit });
  await afterEnd(o, live, {
    id: live.id,
    incarnation: live.incarnation,
    from: ["running", "unhealthy"],
    lastError,
    healthyForMs: o.now() - live.healthySince,
  });
}

/** Supervision does not wait for the database: while that stays away, it goes on from what is remembered. */
async function afterEnd(o: HostContext, live: LiveEngine, end: UnexpectedExit): Promise<void> {
  const record = () =>
    recordEnd(o, end).catch((error: unknown) => {
      o.logger.warn({ err: error, engine_id: live.id }, "the end of an engine cannot be written down now");
      return "away" as const;
    });
  const recorded = await record();
  if (recorded !== "away") return goOn(o, recorded);
  const verdict = judgeRemembered(o, live, end);
  if (verdict.kind === "give_up") return restartOrGiveUp(o, end);
  if (!(await delay(Math.max(verdict.delayMs, AWAY_MS), o.stopping))) return;
  const later = await record();
  if (later !== "away") return goOn(o, later);
  const revived = await reviveEngine(o, live, { end, verdict });
  if (revived === null) await restartOrGiveUp(o, end);
  else superviseEngine(o, revived);
}

/** Waits out the back-off of an engine and for its turn, then starts it; a stop, start or destroy meanwhile wins. */
export function restartLater(o: HostContext, engine: EngineRow): Promise<void> {
  return o.owners.own(engine.id, async () => {
    const waitMs = Math.max(0, (engine.next_restart_at?.getTime() ?? 0) - o.now());
    if (waitMs > 0 && !(await delay(waitMs, o.stopping))) return;
    if (!(await o.breaker.pass(o.stopping))) return;
    const turn = { productId: engine.product_id, requested: false };
    const result = await o.bootQueue.run(turn, (slot) => restart(o, engine, slot));
    if (result === null || result.kind === "overtaken") return;
    if (result.kind === "running") return superviseEngine(o, result.live);
    await restartOrGiveUp(o, {
      id: engine.id,
      incarnation: result.incarnation,
      from: ["starting"],
      lastError: result.lastError,
      healthyForMs: 0,
    });
  });
}

/** Null when somebody else has taken the engine over, or the daemon stops. */
async function restart(o: HostContext, engine: EngineRow, slot: BootSlot) {
  const life = newIncarnation(o, {});
  const claim = retryMove(o, "restart", () => ({
    id: engine.id,
    from: ["backoff"],
    to: "starting",
    incarnation: engine.incarnation,
    set: { ...life, deadline_at: bootDeadline(o) },
    event: { type: "engine.restarting", data: { restart: engine.restart_count } },
  }));
  const found = retryUntilStopped(o, "restart", () => findProduct(o.db, engine.product_id));
  const [claimed, product] = await slot.outside(Promise.all([claim, found]));
  if (!claimed || !product) return null;
  return { ...(await bootEngine(o, { engine: claimed, product, slot })), incarnation: claimed.incarnation };
}

/** Writes down how a life ended and what follows, in one move; nothing when a request has taken the engine over. */
export async function restartOrGiveUp(o: HostContext, end: UnexpectedExit): Promise<void> {
  await goOn(o, (await retryUntilStopped(o, "crash", () => recordEnd(o, end))) ?? null);
}

async function goOn(o: HostContext, engine: EngineRow | null): Promise<void> {
  if (engine?.state === "backoff") await restartLater(o, engine);
}

/** The engine after it, waiting for its restart or given up. */
async function recordEnd(o: HostContext, end: UnexpectedExit): Promise<EngineRow | null> {
  const row = await findEngineById(o.db, end.id);
  // Ended because a stop or a destroy wanted it: nothing unasked about that.
  if (row === null || row.incarnation !== end.incarnation) return null;
  // Written before, by a statement whose answer was lost.
  if (row.state === "backoff") return row;
  if (!end.from.some((state) => state === row.state)) return null;
  const verdict = judgeExit({
    exitCode: end.lastError.exit_code,
    healthyForMs: end.healthyForMs,
    history: { count: row.restart_count, windowStartedAt: row.restart_window_started_at?.getTime() ?? null },
    now: o.now(),
    random: Math.random(),
  });
  const engine = (await writeEnd(o, end, verdict)) ?? (await writtenBefore(o, end));
  if (engine !== null) o.breaker.noteFailure(end.id, o.live.ids());
  return engine;
}

/** By an earlier try whose answer was lost, and that was committed only after the row had been read. */
async function writtenBefore(o: HostContext, { id, incarnation }: UnexpectedExit): Promise<EngineRow | null> {
  const row = await findSettledEngine(o.db, id);
  return row?.incarnation === incarnation && row.state === "backoff" ? row : null;
}

async function writeEnd(o: HostContext, end: UnexpectedExit, verdict: RestartVerdict): Promise<EngineRow | null> {
  const { id, incarnation, from, lastError } = end;
  const { count, windowStartedAt } = verdict.history;
  const now = o.now();
  const set = {
    pid: null,
    last_error: JSON.stringify(lastError),
    restart_count: count,
    restart_window_started_at: windowStartedAt === null ? null : new Date(windowStartedAt),
  };
  const how = endForEvent(lastError);
  const fields = { engine_id: id, incarnation, last_error: lastError, verdict: verdict.reason };
  if (verdict.kind === "restart") {
    o.logger.warn(fields, "engine ended unasked: it starts again");
    const next = new Date(now + verdict.delayMs);
    return o.states.move({
      id,
      from,
      incarnation,
      to: "backoff",
      set: { ...set, next_restart_at: next },
      event: { reason: lastError.reason, data: { ...how, next_at: next.toISOString(), restart: count } },
    });
  }
  o.logger.warn(fields, "engine ended unasked: given up");
  return o.states.move({
    id,
    from,
    incarnation,
    to: "failed",
    set: { ...set, stopped_at: new Date(now), stop_reason: verdict.reason },
    event: { reason: `${lastError.reason}; ${verdict.reason}`, data: how },
  });
}
