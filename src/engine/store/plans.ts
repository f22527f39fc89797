import { Table } from "./table.ts";

export interface PlanRow {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "completed" | "cancelled";
}

/** The agent's plan, one per task. */
export class PlanTable extends Table {
  ofTask(taskId: string): PlanRow[] {
    return this.db
      .prepare("select text, status from plan_items where task_id = ? order by position")
      .all(taskId) as unknown as PlanRow[];
  }

  replace(taskId: string, items: readonly PlanRow[]): void {
    this.store.transaction(() => this.set(taskId, items));
  }

  /** Within the caller's transaction. */
  set(taskId: string, items: readonly PlanRow[]): void {
    const insert = this.db.prepare("insert into plan_items (task_id, position, text, status) values (?, ?, ?, ?)");
    this.db.prepare("delete from plan_items where task_id = ?").run(taskId);
    for (const [position, { text, status }] of items.entries()) insert.run(taskId, position, text, status);
  }
}
