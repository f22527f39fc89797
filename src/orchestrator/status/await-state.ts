import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import { daemonStops } from "../api-error.ts";
import type { EngineRow } from "../store/tables.ts";
import type { HostContext } from "../host-context.ts";

/** The poll interval for changes that no listener reports, such as writes of another daemon. */
const POLL_MS = 1000;

/**
 * Waits until `done` is true of a user's engine (null: none exists) and checks it again after each change. Returns the
 * engine as last read: the caller checks whether the deadline or the signal came first. Throws SERVICE_UNAVAILABLE when
 * the daemon stops first.
 */
export async function awaitEngine(
  host: Pick<HostContext, "awaited" | "states" | "stopping">,
  {
    productId,
    userId,
    done,
    deadlineMs,
    signal,
  }: {
    readonly productId: string;
    readonly userId: string;
    readonly done: (engine: EngineRow | null) => boolean;
    readonly deadlineMs: number;
    readonly signal?: AbortSignal;
  },
): Promise<EngineRow | null> {
  const end = new Deadline(deadlineMs);
  for (;;) {
    const engine = await host.awaited.find(productId, userId);
    const remainingMs = end.leftMs;
    if (done(engine) || remainingMs <= 0 || signal?.aborted) return engine;
    if (host.stopping.aborted) throw daemonStops();
    await nextChange(host, { engineId: engine?.id ?? null, waitMs: Math.min(remainingMs, POLL_MS), signal });
  }
}

/** Waits until the engine's state changes, `waitMs` are over, the signal is aborted or the daemon stops. */
export async function nextChange(
  host: Pick<HostContext, "states" | "stopping">,
  { engineId, waitMs, signal }: { engineId: string | null; waitMs: number; signal: AbortSignal | undefined },
): Promise<void> {
  const changed = new AbortController();
  const unsubscribe = engineId === null ? undefined : host.states.onChange(engineId, () => changed.abort());
  const signals = [changed.signal, host.stopping, ...(signal === undefined ? [] : [signal])];
  await delay(waitMs, AbortSignal.any(signals));
  unsubscribe?.();
}
