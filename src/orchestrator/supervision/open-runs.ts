import PQueue from "p-queue";
import { FairQueue, type FairOptions } from "../../shared/fair-queue.ts";

/** Runs that start at the same time; those of different products take turns. Wakes also wait for the boot queue. */
const STARTING = 16;

/** The runs that have not ended and that this daemon knows, by engine. */
export class OpenRuns {
  readonly #engines = new Map<string, Set<string>>();
  /** Those that are being started or followed. */
  readonly #followed = new Set<string>();
  readonly starts = new PQueue<FairQueue, FairOptions>({ concurrency: STARTING, queueClass: FairQueue });

  /** Follows a run until the function that it returns is called. Null while somebody else does. */
  follow({ id, engine_id: engineId }: { readonly id: string; readonly engine_id: string }): (() => void) | null {
    if (this.#followed.has(id)) return null;
    this.#followed.add(id);
    const runs = this.#engines.get(engineId) ?? new Set();
    this.#engines.set(engineId, runs.add(id));
    return () => void this.#followed.delete(id);
  }

  /** Of an engine: those that nobody follows, because their turn waits for a person or for the engine's next start. */
  left(engineId: string): readonly string[] {
    return [...(this.#engines.get(engineId) ?? [])].filter((id) => !this.#followed.has(id));
  }

  ended({ id, engine_id: engineId }: { readonly id: string; readonly engine_id: string }): void {
    const runs = this.#engines.get(engineId);
    runs?.delete(id);
    if (runs?.size === 0) this.#engines.delete(engineId);
  }
}
