import { CURRENT_BRANCH, lineageOf } from "./branches.ts";
import { Table } from "./table.ts";

export interface CompactionRow {
  readonly taskId: string;
  readonly thread: string;
  readonly turnId: string;
  readonly strategy: "structured_extraction" | "summary";
  /** JSON of the agent room. */
  readonly record: unknown;
}

/** Compaction records of conversations. */
export class CompactionTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into compactions (task_id, thread, turn_id, strategy, record, created_at, branch)
     values (?1, ?2, ?3, ?4, ?5, ?6, iif(?2 = '', ${CURRENT_BRANCH}, null))`,
  );
  readonly #lastOfThread = this.db.prepare(
    "select record from compactions where task_id = ? and thread = ? order by id desc limit 1",
  );
  /**
   * A record of a branch applies to the branches below it only when it names no message that they do not have. The
   * branch's own record comes first: that of an ancestor may be newer, and knows less of the conversation.
   */
  readonly #lastOfTask = this.db.prepare(
    `${lineageOf(CURRENT_BRANCH)} select record from lineage join compactions on branch = branch_id
     where max(record ->> '$.hiddenThrough', record ->> '$.clearedThrough', record ->> '$.summarisedThrough') <= through
     order by depth, id desc limit 1`,
  );

  insert({ taskId, thread, turnId, strategy, record }: CompactionRow, createdAt: number): void {
    this.#insert.run(taskId, thread, turnId, strategy, JSON.stringify(record), createdAt);
  }

  /** The current record; null when the conversation was never compacted. */
  last(taskId: string, thread: string): unknown {
    const row = thread === "" ? this.#lastOfTask.get(taskId) : this.#lastOfThread.get(taskId, thread);
    return row === undefined ? null : JSON.parse(String(row["record"]));
  }
}
