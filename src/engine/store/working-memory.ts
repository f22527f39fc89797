import type { WorkingMemoryEntryType } from "../../contract/engine/memory.ts";
import { CURRENT_BRANCH, lineageOf } from "./branches.ts";
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

  /**
   * The latest entries of a task's conversation, the oldest first: those of turns with an answer in it. A fork has those
   * of the messages that it shares, and a rewind leaves out those of the messages that left.
   */
  ofConversation(taskId: string, limit: number): Pick<WorkingMemoryEntry, "entryType" | "content">[] {
    return this.db
      .prepare(
        `${lineageOf(CURRENT_BRANCH)} select entry_type as entryType, content from working_memory as note
         where exists (select 1 from messages join lineage on branch = branch_id and id <= through
           where messages.turn_id = note.turn_id and thread = '' and role <> 'user')
         order by note.id desc limit ?2`,
      )
      .all(taskId, limit)
      .toReversed() as unknown as Pick<WorkingMemoryEntry, "entryType" | "content">[];
  }

  /** The latest entry of a task's conversation that begins with `start`; null without one. */
  lastOfConversation(taskId: string, start: string): string | null {
    const row = this.db
      .prepare(
        `${lineageOf(CURRENT_BRANCH)} select content from working_memory as note
         where substr(content, 1, length(?2)) = ?2
           and exists (select 1 from messages join lineage on branch = branch_id and id <= through
             where messages.turn_id = note.turn_id and thread = '' and role <> 'user')
         order by note.id desc limit 1`,
      )
      .get(taskId, start);
    return row === undefined ? null : String(row["content"]);
  }
}
