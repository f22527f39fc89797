import type { EngineErrorCode } from "../../contract/engine/errors.ts";
import { delay } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";
import { nextChange } from "../status/await-state.ts";
import type { EngineAddresses } from "../status/engine-addresses.ts";
import { callAnswer } from "../supervision/wake-engine.ts";
import type { WakeOutcome } from "../supervision/supervisor.ts";

/** The poll interval for changes that other daemons write. */
const POLL_MS = 250;
/** The time for an awake slot and a boot slot, in addition to the boot timeout. */
const QUEUE_MS = 15_000;

/** Where the gateway sends a call for an engine. */
type Reach =
  /** `held`: calls wait at its address until the engine accepts them. */
  | { readonly kind: "reachable"; readonly url: string; readonly held: boolean }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The caller has closed its connection. */
  | { readonly kind: "abandoned" };

/** An error response in the form of the engine's own errors. */
export interface Refusal {
  readonly code: EngineErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds, for `Retry-After`. */
  readonly retryAfterS?: number;
}

interface ReachOptions {
  readonly engineId: string;
  /** When the call stops waiting, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Aborted when the caller closes its connection. */
  readonly signal: AbortSignal;
}

/** When a call stops waiting for an engine that wakes or restarts, in milliseconds of `performance.now()`. */
export const reachDeadline = ({ settings }: Pick<HostContext, "settings">): number =>
  performance.now() + settings.bootTimeoutMs + QUEUE_MS;

/**
 * Resolves the address for a call to an engine. If the daemon holds no socket of the engine, the call waits here: it wakes
 * a sleeping engine, and waits for an engine that is starting or stopping.
 */
export async function reachEngine(
  host: Pick<HostContext, "states" | "supervisor" | "now" | "stopping">,
  addresses: EngineAddresses,
  options: ReachOptions,
): Promise<Reach> {
  const { engineId, deadline, signal } = options;
  for (;;) {
    if (host.stopping.aborted) return refused("SERVICE_UNAVAILABLE", "orchd is stopping", 1);
    const address = await addresses.find(engineId);
    if (signal.aborted) return { kind: "abandoned" };
    const leftMs = deadline - performance.now();
    switch (address.kind) {
      case "unknown":
        return refused("NOT_FOUND", "no engine with this id");
      case "not_running":
        return refused("ENGINE_NOT_RUNNING", "the engine is stopped: start it by POST /engines/{user_id}/start");
      case "reachable":
        return address;
      case "asleep": {
        if (leftMs <= 0) return { kind: "refused", refusal: callAnswer(null) };
        const woken = await within(host.supervisor.wake(engineId, "call"), leftMs, signal);
        if (woken?.kind === "failed") return { kind: "refused", refusal: callAnswer(woken.error) };
        if (woken?.kind === "not_asleep") await nextChange(host, { engineId, waitMs: POLL_MS, signal });
        break;
      }
      case "changing": {
        const waitMs = (address.restartAt ?? 0) - host.now();
        if (leftMs <= 0 || waitMs > leftMs)
          return refused("SERVICE_UNAVAILABLE", "the engine restarts", Math.max(1, Math.ceil(waitMs / 1000)));
        await nextChange(host, { engineId, waitMs: Math.min(POLL_MS, leftMs), signal });
        break;
      }
      default:
        return address satisfies never;
    }
  }
}

/** Null when the deadline or the caller's signal comes first. The wake continues. */
async function within(wake: Promise<WakeOutcome>, leftMs: number, signal: AbortSignal): Promise<WakeOutcome | null> {
  const settled = new AbortController();
  const late = delay(leftMs, AbortSignal.any([settled.signal, signal])).then(() => null);
  try {
    return await Promise.race([wake, late]);
  } finally {
    settled.abort();
  }
}

const refused = (code: EngineErrorCode, message: string, retryAfterS?: number): Reach => ({
  kind: "refused",
  refusal: { code, message, ...(retryAfterS !== undefined && { retryAfterS }) },
});
