import type { HostContext } from "../host-context.ts";
import { reachability } from "../rules/engine-lifecycle.ts";
import { BatchedLookups } from "../store/batched-lookups.ts";
import { type EngineEndpoint, findEngineEndpoints } from "../store/engines.ts";

/** The address at which the gateway calls an engine, or why there is none. */
type EngineAddress =
  /** `held`: calls wait at this address until its process accepts them. */
  | { readonly kind: "reachable"; readonly url: string; readonly held: boolean }
  /** A call wakes it. */
  | { readonly kind: "asleep" }
  /** Its process is stopping or starting. `restartAt`: in milliseconds since the epoch; null if at once. */
  | { readonly kind: "changing"; readonly restartAt: number | null }
  /** It is stopped, or has failed. */
  | { readonly kind: "not_running" }
  | { readonly kind: "unknown" };

type Host = Pick<HostContext, "db" | "live" | "backend">;

/** The addresses of engines by their ids. */
export class EngineAddresses {
  readonly #host: Host;
  /** Batched, so that unauthenticated callers can occupy only one connection of the pool. */
  readonly #stored: BatchedLookups<EngineEndpoint>;

  constructor(host: Host) {
    this.#host = host;
    this.#stored = new BatchedLookups((ids) => findEngineEndpoints(host.db, ids));
  }

  /** Queries the database only for an engine without a supervised process, such as a sleeping one. */
  async find(engineId: string): Promise<EngineAddress> {
    const { live, backend } = this.#host;
    const held = backend.sockets.isHeld(engineId);
    const engine = live.get(engineId);
    if (engine !== undefined && !held && engine.fallingAsleep !== null) return { kind: "changing", restartAt: null };
    if (engine !== undefined) return { kind: "reachable", url: engine.url, held };
    const stored = await this.#stored.find(engineId);
    if (stored === null) return { kind: "unknown" };
    const state = reachability(stored);
    if (state === "down") return { kind: "not_running" };
    if (held || state === "up") return { kind: "reachable", url: backend.addressOf(stored), held };
    if (state === "asleep") return { kind: "asleep" };
    return {
      kind: "changing",
      restartAt: stored.state === "backoff" ? (stored.next_restart_at?.getTime() ?? null) : null,
    };
  }
}
