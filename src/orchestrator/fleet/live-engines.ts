import type { EngineProcess, LaunchOrder } from "./engine-backend.ts";

/** What this daemon knows of an engine's process from watching it; kept in memory, lost with it, learned again. */
export interface LiveEngine {
  readonly id: string;
  readonly productId: string;
  readonly incarnation: string;
  readonly url: string;
  readonly controlToken: string;
  readonly process: EngineProcess;
  /** What it would be started with again now; kept up to date, for a start without the database. */
  order: LaunchOrder;
  /** Restarts so far, as the database knew them when this life began; the window in milliseconds since the epoch. */
  readonly restarts: { readonly count: number; readonly windowStartedAt: number | null };
  /** A stop or a destroy ends it: no crash, whatever comes of it. */
  isStopping: boolean;
  /** Why the daemon itself ends it to be restarted; null while it does not. */
  stopCause: string | null;
  /** Milliseconds since the epoch. */
  readonly healthySince: number;
  lastOkAt: number;
  consecutiveFailures: number;
  /** When it last worked, and what of that the database knows. */
  lastActiveAt: number | null;
  lastActiveStored: number;
}

/** The processes this daemon looks after, at most one an engine. */
export class LiveEngines {
  readonly #engines = new Map<string, LiveEngine>();

  add(engine: LiveEngine): void {
    this.#engines.set(engine.id, engine);
  }

  ids(): ReadonlySet<string> {
    return new Set(this.#engines.keys());
  }

  get(id: string): LiveEngine | undefined {
    return this.#engines.get(id);
  }

  /** Forgets this life of an engine; a later one stays. */
  remove(id: string, incarnation: string): void {
    if (this.#engines.get(id)?.incarnation === incarnation) this.#engines.delete(id);
  }
}
