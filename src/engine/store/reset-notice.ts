import { join } from "node:path";
import type { MemoryReset } from "../../contract/engine-records.ts";
import { isoTime } from "../../shared/clock.ts";
import type { EngineState } from "./engine-state.ts";

/** The notice that a damaged store was moved aside, until it is cleared. Cached: `/health` must not need the store. */
export class ResetNotice {
  readonly #state: EngineState;
  #current: MemoryReset | null;
  /** Whether this start moved it aside. */
  readonly isNew: boolean;

  constructor(state: EngineState, { dataDir, isNew }: { readonly dataDir: string; readonly isNew: boolean }) {
    this.#state = state;
    this.isNew = isNew;
    const reset = state.get("memory_reset");
    this.#current =
      reset === null ? null : { at: isoTime(reset.at), old_file: join(dataDir, reset.file), reason: reset.reason };
  }

  get current(): MemoryReset | null {
    return this.#current;
  }

  clear(): void {
    this.#state.remove("memory_reset");
    this.#current = null;
  }
}
