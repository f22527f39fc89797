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
    "insert into compactions (task_id, thread, turn_id, strategy, record, created_at) values (?, ?, ?, ?, ?, ?)",
  );
  readonly #last = this.db.prepare(
    "select record from compactions where task_id = ? and thread = ? order by id desc limit 1",
  );

  insert({ taskId, thread, turnId, strategy, record }: CompactionRow, createdAt: number): void {
    this.#insert.run(taskId, thread, turnId, strategy, JSON.stringify(record), createdAt);
  }

  /** The current record; null when the conversation was never compacted. */
  last(taskId: string, thread: string): unknown {
    const row = this.#last.get(taskId, thread);
    return row === undefined ? null : JSON.parse(String(row["record"]));
  }
}
