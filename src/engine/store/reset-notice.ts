import { join } from "node:path";
import type { MemoryReset } from "../../contract/engine-records.ts";
import { isoTime } from "../../shared/clock.ts";
import type { EngineState } from "./engine-state.ts";

/** That a damaged store was set aside, until a person has it forgotten. Read once: `/health` must not need the store. */
export class ResetNotice {
  readonly #state: EngineState;
  #current: MemoryReset | null;
  /** Whether it was this start that set it aside. */
  readonly isNew: boolean;

  constructor(state: EngineState, { dataDir, isNew }: { readonly dataDir: string; readonly isNew: boolean }) {
    this.#state = state;
    this.isNew = isNew;
    const kept = state.get("memory_reset");
    this.#current =
      kept === null ? null : { at: isoTime(kept.at), old_file: join(dataDir, kept.file), reason: kept.reason };
  }

  get current(): MemoryReset | null {
    return this.#current;
  }

  forget(): void {
    this.#state.remove("memory_reset");
    this.#current = null;
  }
}
