import PQueue from "p-queue";
import { FairQueue, type FairOptions } from "../../shared/fair-queue.ts";

/** Concurrent starts of runs, shared fairly between products. A wake also waits for the boot queue. */
const STARTING = 16;

/** The runs that have not ended, by engine, as far as this daemon knows them. */
export class OpenRuns {
  readonly #engines = new Map<string, Set<string>>();
  /** The ids of runs that are being started or followed. */
  readonly #followed = new Set<string>();
  readonly starts = new PQueue<FairQueue, FairOptions>({ concurrency: STARTING, queueClass: FairQueue });

  /** Marks a run as followed until the returned function is called. Null when it already is. */
  follow({ id, engine_id: engineId }: { readonly id: string; readonly engine_id: string }): (() => void) | null {
    if (this.#followed.has(id)) return null;
    this.#followed.add(id);
    const runs = this.#engines.get(engineId) ?? new Set();
    this.#engines.set(engineId, runs.add(id));
    return () => this.#followed.delete(id);
  }

  /** The ids of an engine's runs that are not followed: their turn waits for a person or for the engine's next start. */
  unfollowed(engineId: string): readonly string[] {
    return [...(this.#engines.get(engineId) ?? [])].filter((id) => !this.#followed.has(id));
  }

  ended({ id, engine_id: engineId }: { readonly id: string; readonly engine_id: string }): void {
    const runs = this.#engines.get(engineId);
    runs?.delete(id);
    if (runs?.size === 0) this.#engines.delete(engineId);
  }
}
