import { Table } from "./table.ts";

/** A permission for more than one call: of one tool, for inputs that match a pattern, in one task or all. */
export interface GrantRow {
  readonly tool: string;
  readonly pattern: string;
  /** Null: in every task. */
  readonly taskId: string | null;
}

export class GrantTable extends Table {
  insert({ tool, pattern, taskId }: GrantRow, createdAt: number): void {
    this.db
      .prepare("insert into grants (tool, pattern, task_id, created_at) values (?, ?, ?, ?)")
      .run(tool, pattern, taskId, createdAt);
  }

  /** Grants that apply in a task. */
  ofTask(taskId: string): GrantRow[] {
    return this.db
      .prepare("select tool, pattern, task_id as taskId from grants where task_id is null or task_id = ?")
      .all(taskId) as unknown as GrantRow[];
  }
}
