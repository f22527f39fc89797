import type { EngineStatus } from "../../contract/engine/status.ts";
import type { AwakeReason, SleepReason } from "../../contract/engine/sleep.ts";
import { delay } from "../../shared/clock.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import type { EngineProcess, StopOutcome } from "../fleet/engine-backend.ts";
import { engineStatus, sleepEngine } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { idleMsOf } from "../rules/idleness.ts";
import type { EngineRow } from "../store/tables.ts";
import { awaitCalls } from "./await-calls.ts";
import { collectRuns } from "./follow-turn.ts";
import { endHookRead } from "./follow-tool-hooks.ts";
import { retryMove } from "./retry-until-stopped.ts";
import { returnLeases } from "./sync-budgets.ts";
import { isCollected, readEngineStatus } from "./read-engine-status.ts";
import { inSleepLane } from "./sleep-lane.ts";

/** An engine closes its tool servers and its store before it exits. */
const EXIT_MS = 15_000;
const TERM_MS = 2000;
/** Most engines that have decided to sleep have exited by then. */
const DECIDED_EXIT_MS = 5000;
const MAX_TRIES = 3;
const RETRY_MS = 500;
/** After this time the reaper finishes a sleep whose operation failed. */
const DEADLINE_MS = 60_000;

export type SleepOutcome =
  | { readonly kind: "asleep"; readonly engine: EngineRow }
  /** The engine has work, or did not answer. It stays awake. */
  | { readonly kind: "refused"; readonly awake: readonly AwakeReason[] }
  /** A stop, a destroy or an exit came first. */
  | { readonly kind: "overtaken" };

interface SleepOptions {
  readonly reason: SleepReason;
  /** How long the engine must have been without work. */
  readonly idleMs: number;
}

/** Whether calls can wait for an engine while it sleeps: on its socket, or at the gateway if they come through it. */
export const canSleep = (
  { backend, settings }: Pick<HostContext, "backend" | "settings">,
  { id, order }: LiveEngine,
): boolean => settings.publicUrl !== null || backend.sockets.isHeld(id) || backend.sockets.canHold(order.launch.port);

/**
 * Puts an engine to sleep: the row changes first, then the engine decides and exits. From then on calls wait on its
 * socket or at the gateway. If the daemon dies in between, the next daemon decides by the engine's process.
 */
export const putToSleep = (host: EngineHost, live: LiveEngine, options: SleepOptions): Promise<SleepOutcome> =>
  inSleepLane(host, live.id, () => host.transitions.own(live.id, () => sleepNow(host, live, options)));

async function sleepNow(host: EngineHost, live: LiveEngine, { reason, idleMs }: SleepOptions): Promise<SleepOutcome> {
  const target = { url: live.url, token: live.controlToken };
  // Refuses early, so that the row rarely has to change back.
  const before = await readEngineStatus(host, live);
  if (live.isStopping) return { kind: "overtaken" };
  if (before === null) return { kind: "refused", awake: [] };
  const { awake } = before;
  // An engine of an earlier release names a learning batch that the sleep would start.
  const blocks = before.learning_due_at === undefined ? awake.filter((one) => one !== "learning") : awake;
  if (blocks.length > 0) return { kind: "refused", awake };
  await collectRuns(host, live);
  if ((idleMsOf(before, host.now()) ?? 0) < idleMs) return { kind: "refused", awake: [...awake, "recent_work"] };
  // A call in flight could find the engine no longer listening. Later calls wait until the sleep is settled.
  if (!host.backend.sockets.isHeld(live.id) && host.calls.has(live.id)) return { kind: "refused", awake: ["request"] };
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
  live.fallingAsleep = settled;
  try {
    const { id, incarnation } = live;
    const sleeping = await host.states.move({
      id,
      from: ["running"],
      to: "sleeping",
      incarnation,
      set: {
        sleep_reason: reason,
        slept_at: new Date(host.now()),
        deadline_at: new Date(host.now() + DEADLINE_MS),
        ...lastActivity(before, host.now()),
      },
    });
    if (sleeping === null) return { kind: "overtaken" };
    // A waiting connection of a probe would wake the engine.
    await live.probing;
    await endHookRead(live);
    const answer = await sleepEngine(target, {
      idleMs,
      noticesRead: live.noticesRead,
      questionsRead: live.questionsRead,
    });
    if (answer.kind === "refused") return await cancelSleep(host, live, answer.awake);
    // The answer may have been lost. Only an engine that has not decided to sleep answers again.
    if (answer.kind === "failed" && (await answersAgain(live))) return await cancelSleep(host, live, []);
    const last = answer.kind === "sleeps" ? answer.status : null;
    const isCounted = last !== null && isCollected(live, last);
    if ((await stopAfterExit(live.process)).kind !== "survived") {
      if (last !== null) await returnLeases(host, live, last.budgets);
      return await recordAsleep(host, sleeping, isCounted ? { usage_collected: incarnation } : {});
    }
    return { kind: "overtaken" };
  } finally {
    live.fallingAsleep = null;
    settle();
  }
}

/** The stored time of an idle engine may be a minute old. A time in the future is cut to now. */
const lastActivity = ({ last_active_at }: EngineStatus, now: number) =>
  last_active_at === null ? {} : { last_active_at: new Date(Math.min(Date.parse(last_active_at), now)) };

/** Waits for the engine's exit first, since a connection that it no longer accepts would wake it. */
async function answersAgain({ url, controlToken: token, process }: LiveEngine): Promise<boolean> {
  const exited = new AbortController();
  const abort = () => exited.abort();
  process.exited.then(abort, abort);
  await delay(DECIDED_EXIT_MS, exited.signal);
  for (let tries = 0; tries < MAX_TRIES && !exited.signal.aborted; tries++) {
    if ((await engineStatus({ url, token })).kind === "ok") return true;
    await delay(RETRY_MS, exited.signal);
  }
  return false;
}

/** Waits until the process of a sleeping engine has exited, and stops it after 15 s. */
export async function stopAfterExit(process: EngineProcess): Promise<StopOutcome> {
  const waited = new AbortController();
  await Promise.race([process.exited, delay(EXIT_MS, waited.signal)]);
  waited.abort();
  return process.stop(TERM_MS);
}

/** Records that the process of an engine in `sleeping` is gone, and starts to wait for calls. */
export async function recordAsleep(
  host: EngineHost,
  row: EngineRow,
  collected: { readonly usage_collected?: string } = {},
): Promise<SleepOutcome> {
  const { id, incarnation } = row;
  const live = host.live.get(id);
  // Its exit is no crash from now on, even while the database is unavailable.
  if (live?.incarnation === incarnation) live.isStopping = true;
  // The kernel refused calls since the exit of an adopted engine whose socket could not be copied.
  const gap = host.backend.sockets.isHeld(id) || host.settings.publicUrl !== null ? {} : { gap: true };
  const asleep = await retryMove(host, "sleep", () => ({
    id,
    from: ["sleeping"],
    to: "sleeping",
    incarnation,
    set: { handle: null, slept_at: new Date(host.now()), ...collected },
    event: { reason: row.sleep_reason ?? "idle", data: gap },
  }));
  host.live.remove(id, incarnation);
  if (!asleep) return { kind: "overtaken" };
  await awaitCalls(host, asleep);
  return { kind: "asleep", engine: asleep };
}

/** Cancels a sleep that the engine refused: its row becomes `running` again. */
export async function cancelSleep(
  host: Pick<HostContext, "db" | "states" | "logger" | "stopping">,
  { id, incarnation }: Pick<LiveEngine, "id" | "incarnation">,
  awake: readonly AwakeReason[],
): Promise<SleepOutcome> {
  const running = await retryMove(host, "refused sleep", () => ({
    id,
    from: ["sleeping"],
    to: "running",
    incarnation,
    set: { sleep_reason: null },
  }));
  return running ? { kind: "refused", awake } : { kind: "overtaken" };
}
