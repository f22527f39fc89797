import type { HostContext } from "../host-context.ts";
import { engineUrl } from "../fleet/engine-url.ts";
import { BatchedLookups } from "../store/batched-lookups.ts";
import { findEngineAddresses } from "../store/engines.ts";

/** Where this host reaches an engine. */
export type EngineAddress =
  | { readonly kind: "reachable"; readonly url: string }
  /** Nothing listens for it: it is stopped, or has failed. */
  | { readonly kind: "not_running" }
  | { readonly kind: "unknown" };

/** The addresses of engines by their ids. */
export class EngineAddresses {
  readonly #host: Pick<HostContext, "live" | "settings">;
  /** Callers have no key yet: however many they are, they take one connection of the pool. */
  readonly #stored: BatchedLookups<{ readonly port: number; readonly running: boolean }>;

  constructor(host: Pick<HostContext, "db" | "live" | "settings">) {
    this.#host = host;
    this.#stored = new BatchedLookups((ids) => findEngineAddresses(host.db, ids));
  }

  /** Needs the database only for an engine that this daemon does not supervise now, such as a sleeping one. */
  async find(engineId: string): Promise<EngineAddress> {
    const live = this.#host.live.get(engineId);
    if (live !== undefined) return { kind: "reachable", url: live.url };
    const stored = await this.#stored.find(engineId);
    if (stored === null) return { kind: "unknown" };
    if (!stored.running) return { kind: "not_running" };
    return { kind: "reachable", url: engineUrl(this.#host.settings.engineHost, stored.port) };
  }
}
