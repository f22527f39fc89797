import { delay } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost, HostContext, StartingHost } from "../host-context.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { BootCancelled } from "./boot-queue.ts";
import { limitForStart } from "../rules/awake-limit.ts";
import { canSleep, putToSleep } from "./put-to-sleep.ts";

const MAX_WAIT_MS = 15_000;
const RETRY_MS = 250;
const RETRY_AFTER_S = 5;
/** An engine between two calls of a conversation is not put to sleep. */
const MIN_IDLE_MS = 1000;
/** How many engines are asked to sleep before the next wait. */
const MAX_ASKED = 16;

interface AwakeRequest {
  readonly engineId: string;
  /** Slots are shared fairly between products. */
  readonly productId: string;
  /** Ends the wait with {@link BootCancelled}. */
  readonly signal?: AbortSignal;
}

/**
 * Starts an engine with one of the slots for awake engines. At the limit, or without memory, the engine that has been
 * idle longest is put to sleep first. Throws CAPACITY_EXHAUSTED when no engine can sleep within 15 s.
 */
export async function withAwakeSlot<T>(host: StartingHost, request: AwakeRequest, start: () => Promise<T>): Promise<T> {
  const { engineId, productId, signal } = request;
  const ended = new AbortController();
  const timeout = setTimeout(() => ended.abort(hostFull(host)), MAX_WAIT_MS);
  const cancel = () => ended.abort(new BootCancelled("the boot was cancelled"));
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    const place = { lane: productId, priority: 1, signal: ended.signal };
    await host.awakeSlots.queue.add(() => acquireAwakeSlot(host, engineId, ended.signal), place);
  } finally {
    clearTimeout(timeout);
    signal?.removeEventListener("abort", cancel);
  }
  try {
    return await start();
  } finally {
    host.awakeSlots.release(engineId);
  }
}

/** Rejects with the reason of the signal. */
async function acquireAwakeSlot(host: StartingHost, engineId: string, signal: AbortSignal): Promise<void> {
  const { awakeSlots, live, backend } = host;
  const limit = limitForStart(awakeSlots.limit, awakeSlots.used(live.ids()));
  for (;;) {
    signal.throwIfAborted();
    const problem = await backend.capacityProblem("awake");
    if (problem === null && awakeSlots.acquire(engineId, live.ids(), limit)) return;
    if (problem !== null && backend.spares.endOne()) continue;
    if (!(await putOneToSleep(host))) await delay(RETRY_MS, signal);
  }
}

/** Puts the engine with the longest idle time to sleep that accepts it. False when none does. */
async function putOneToSleep(host: EngineHost): Promise<boolean> {
  const idle = host.live.all().filter((live) => !live.isStopping && canSleep(host, live));
  const longest = idle.toSorted((a, b) => lastWorkAt(a) - lastWorkAt(b));
  for (const live of longest.slice(0, MAX_ASKED)) {
    const policy = await host.directory.policyOfEngine(live);
    if (policy === null || policy.idle_stop_s === 0) continue;
    const { kind } = await putToSleep(host, live, { reason: "capacity", idleMs: MIN_IDLE_MS });
    if (kind === "asleep") return true;
  }
  return false;
}

/** On the monotonic clock, as last reported. An engine that had work then sorts after the idle ones. */
const lastWorkAt = ({ report, supervisedAt }: LiveEngine): number =>
  report === null ? supervisedAt : (report.idleSince ?? report.at);

const hostFull = ({ awakeSlots }: Pick<HostContext, "awakeSlots">): ApiError =>
  new ApiError(
    "CAPACITY_EXHAUSTED",
    awakeSlots.limit === null
      ? "the host has no memory for another engine"
      : `the host carries at most ${awakeSlots.limit} engines awake, and none can sleep now (ORCH_MAX_AWAKE)`,
    { retryAfterS: RETRY_AFTER_S },
  );
