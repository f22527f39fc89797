import { delay } from "../../shared/clock.ts";
import { findEngine } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import type { HostContext } from "../host-context.ts";

/** How often the store is asked although nothing was told: another daemon may have written. */
const POLL_MS = 1000;

/**
 * Waits until `done` holds of a user's engine (null: there is none), asking again after each change of it.
 * Gives the engine as it was last seen: the caller checks whether the deadline or the signal came first.
 */
export async function awaitEngine(
  host: Pick<HostContext, "db" | "states" | "now" | "stopping">,
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
  const end = host.now() + deadlineMs;
  for (;;) {
    const engine = await findEngine(host.db, productId, userId);
    const left = end - host.now();
    if (done(engine) || left <= 0 || signal?.aborted) return engine;
    await nextChange(host, { engineId: engine?.id ?? null, waitMs: Math.min(left, POLL_MS), signal });
  }
}

async function nextChange(
  host: Pick<HostContext, "states" | "stopping">,
  { engineId, waitMs, signal }: { engineId: string | null; waitMs: number; signal: AbortSignal | undefined },
): Promise<void> {
  const changed = new AbortController();
  const undo = engineId === null ? undefined : host.states.onChange(engineId, () => changed.abort());
  const signals = [changed.signal, host.stopping, ...(signal === undefined ? [] : [signal])];
  await delay(waitMs, AbortSignal.any(signals));
  undo?.();
}
