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
import { describeExit } from "./describe-exit.ts";
import { bootDeadline, newIncarnation } from "./new-incarnation.ts";
import { retryMove } from "./retry-move.ts";
import { buildLastError, exitEventData } from "./last-error.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import type { HostContext } from "../host-context.ts";
import { judgeFromMemory, reviveEngine } from "./revive-engine.ts";
import type { UnexpectedExit } from "./unexpected-exit.ts";
import { watchEngine } from "./watch-engine.ts";

/** One lost answer is no absence: the database is away when it is still not there after this. */
const AWAY_MS = 500;

/** From `running` on: watches this life of an engine and, when it ends unasked, starts the next one or gives up. */
export function superviseEngine(host: HostContext, live: LiveEngine): void {
  // Whatever becomes of it later, the call that started it has long been answered.
  outsideRequests(() =>
    watchEngine(host, live, async () => {
      const exit = await live.process.exited;
      if (live.isStopping) return;
      await host.owners.own(live.id, () => ended(host, live, exit));
    }),
  );
}

async function ended(host: HostContext, live: LiveEngine, exit: EngineExit): Promise<void> {
  host.live.remove(live.id, live.incarnation);
  const reason = live.endedBecause ?? `the engine's process exited ${describeExit(exit)}`;
  const lastError = await buildLastError(host, live.id, { phase: "run", reason, exit });
  await afterEnd(host, live, {
    id: live.id,
    incarnation: live.incarnation,
    from: ["running", "unhealthy"],
    lastError,
    healthyForMs: host.now() - live.healthySince,
  });
}

/** Supervision does not wait for the database: while that stays away, it goes on from what is remembered. */
async function afterEnd(host: HostContext, live: LiveEngine, end: UnexpectedExit): Promise<void> {
  const record = () =>
    recordEnd(host, end).catch((error: unknown) => {
      host.logger.warn({ err: error, engine_id: live.id }, "the end of an engine cannot be written down now");
      return "away" as const;
    });
  const recorded = await record();
  if (recorded !== "away") return goOn(host, recorded);
  const verdict = judgeFromMemory(host, live, end);
  if (verdict.kind === "give_up") return restartOrFail(host, end);
  if (!(await delay(Math.max(verdict.delayMs, AWAY_MS), host.stopping))) return;
  const later = await record();
  if (later !== "away") return goOn(host, later);
  const revived = await reviveEngine(host, live, { end, verdict });
  if (revived === null) await restartOrFail(host, end);
  else superviseEngine(host, revived);
}

/** Waits out the back-off of an engine and for its turn, then starts it; a stop, start or destroy meanwhile wins. */
export function restartLater(host: HostContext, engine: EngineRow): Promise<void> {
  return host.owners.own(engine.id, async () => {
    const waitMs = Math.max(0, (engine.next_restart_at?.getTime() ?? 0) - host.now());
    if (waitMs > 0 && !(await delay(waitMs, host.stopping))) return;
    if (!(await host.breaker.pass(host.stopping))) return;
    const turn = { productId: engine.product_id, requested: false };
    const result = await host.bootQueue.run(turn, (slot) => restart(host, engine, slot));
    if (result === null || result.kind === "overtaken") return;
    if (result.kind === "running") return superviseEngine(host, result.live);
    await restartOrFail(host, {
      id: engine.id,
      incarnation: result.incarnation,
      from: ["starting"],
      lastError: result.lastError,
      healthyForMs: 0,
    });
  });
}

/** Null when somebody else has taken the engine over, or the daemon stops. */
async function restart(host: HostContext, engine: EngineRow, slot: BootSlot) {
  const life = newIncarnation(host, {});
  const claim = retryMove(host, "restart", () => ({
    id: engine.id,
    from: ["backoff"],
    to: "starting",
    incarnation: engine.incarnation,
    set: { ...life, deadline_at: bootDeadline(host) },
    event: { type: "engine.restarting", data: { restart: engine.restart_count } },
  }));
  const found = retryUntilStopped(host, "restart", () => findProduct(host.db, engine.product_id));
  const [claimed, product] = await slot.outside(Promise.all([claim, found]));
  if (!claimed || !product) return null;
  return { ...(await bootEngine(host, { engine: claimed, product, slot })), incarnation: claimed.incarnation };
}

/** Writes down how a life ended and what follows, in one move; nothing when a request has taken the engine over. */
export async function restartOrFail(host: HostContext, end: UnexpectedExit): Promise<void> {
  await goOn(host, (await retryUntilStopped(host, "crash", () => recordEnd(host, end))) ?? null);
}

async function goOn(host: HostContext, engine: EngineRow | null): Promise<void> {
  if (engine?.state === "backoff") await restartLater(host, engine);
}

/** The engine after it, waiting for its restart or given up. */
async function recordEnd(
  host: Pick<HostContext, "db" | "states" | "live" | "breaker" | "now" | "logger">,
  end: UnexpectedExit,
): Promise<EngineRow | null> {
  const row = await findEngineById(host.db, end.id);
  // Ended because a stop or a destroy wanted it: nothing unasked about that.
  if (row === null || row.incarnation !== end.incarnation) return null;
  // Written before, by a statement whose answer was lost.
  if (row.state === "backoff") return row;
  if (!end.from.some((state) => state === row.state)) return null;
  const verdict = judgeExit({
    exitCode: end.lastError.exit_code,
    healthyForMs: end.healthyForMs,
    history: { count: row.restart_count, windowStartedAt: row.restart_window_started_at?.getTime() ?? null },
    now: host.now(),
    random: Math.random(),
  });
  const engine = (await writeEnd(host, end, verdict)) ?? (await writtenBefore(host, end));
  if (engine !== null) host.breaker.noteFailure(end.id, host.live.ids());
  return engine;
}

/** By an earlier try whose answer was lost, and that was committed only after the row had been read. */
async function writtenBefore(
  host: Pick<HostContext, "db">,
  { id, incarnation }: UnexpectedExit,
): Promise<EngineRow | null> {
  const row = await findSettledEngine(host.db, id);
  return row?.incarnation === incarnation && row.state === "backoff" ? row : null;
}

async function writeEnd(
  host: Pick<HostContext, "states" | "now" | "logger">,
  end: UnexpectedExit,
  verdict: RestartVerdict,
): Promise<EngineRow | null> {
  const { id, incarnation, from, lastError } = end;
  const { count, windowStartedAt } = verdict.history;
  const now = host.now();
  const set = {
    pid: null,
    last_error: JSON.stringify(lastError),
    restart_count: count,
    restart_window_started_at: windowStartedAt === null ? null : new Date(windowStartedAt),
  };
  const how = exitEventData(lastError);
  const fields = { engine_id: id, incarnation, last_error: lastError, verdict: verdict.reason };
  if (verdict.kind === "restart") {
    host.logger.warn(fields, "engine ended unasked: it starts again");
    const next = new Date(now + verdict.delayMs);
    return host.states.move({
      id,
      from,
      incarnation,
      to: "backoff",
      set: { ...set, next_restart_at: next },
      event: { reason: lastError.reason, data: { ...how, next_at: next.toISOString(), restart: count } },
    });
  }
  host.logger.warn(fields, "engine ended unasked: given up");
  return host.states.move({
    id,
    from,
    incarnation,
    to: "failed",
    set: { ...set, stopped_at: new Date(now), stop_reason: verdict.reason },
    event: { reason: `${lastError.reason}; ${verdict.reason}`, data: how },
  });
}
