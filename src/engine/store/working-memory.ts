import type { WorkingMemoryEntryType } from "../../contract/engine/memory.ts";
import { Table } from "./table.ts";

export interface WorkingMemoryEntry {
  readonly taskId: string;
  readonly turnId: string;
  readonly entryType: WorkingMemoryEntryType;
  readonly content: string;
  readonly createdAt: number;
}

/** The agent's own notes. */
export class WorkingMemoryTable extends Table {
  /** Returns the id. Later entries have higher ids. */
  append({ taskId, turnId, entryType, content, createdAt }: WorkingMemoryEntry): number {
    const { lastInsertRowid } = this.db
      .prepare("insert into working_memory (task_id, turn_id, entry_type, content, created_at) values (?, ?, ?, ?, ?)")
      .run(taskId, turnId, entryType, content, createdAt);
    return lastInsertRowid;
  }

  /** The task's latest entries, oldest first. */
  ofTask(taskId: string, limit: number): Pick<WorkingMemoryEntry, "entryType" | "content">[] {
    return this.db
      .prepare("select entry_type as entryType, content from working_memory where task_id = ? order by id desc limit ?")
      .all(taskId, limit)
      .toReversed() as unknown as Pick<WorkingMemoryEntry, "entryType" | "content">[];
  }
}
