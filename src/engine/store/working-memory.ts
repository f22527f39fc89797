import type { WorkingMemoryEntryType } from "../../contract/engine-events.ts";
import type { Store } from "./open-store.ts";

export interface WorkingMemoryEntry {
  readonly taskId: string;
  readonly turnId: string;
  readonly entryType: WorkingMemoryEntryType;
  readonly content: string;
  readonly createdAt: number;
}

/** The agent's own notes. */
export class WorkingMemoryTable {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the id. Later entries have higher ids. */
  append({ taskId, turnId, entryType, content, createdAt }: WorkingMemoryEntry): number {
    const { lastInsertRowid } = this.#store.db
      .prepare("insert into working_memory (task_id, turn_id, entry_type, content, created_at) values (?, ?, ?, ?, ?)")
      .run(taskId, turnId, entryType, content, createdAt);
    return lastInsertRowid;
  }

  /** The task's latest entries, oldest first. */
  ofTask(taskId: string, limit: number): Pick<WorkingMemoryEntry, "entryType" | "content">[] {
    return this.#store.db
      .prepare("select entry_type as entryType, content from working_memory where task_id = ? order by id desc limit ?")
      .all(taskId, limit)
      .toReversed() as unknown as Pick<WorkingMemoryEntry, "entryType" | "content">[];
  }
}
