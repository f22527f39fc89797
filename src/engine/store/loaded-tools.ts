import { Table } from "./table.ts";

/** Tools that a conversation has loaded by a search. A task's own conversation has the thread "". */
export class LoadedToolTable extends Table {
  readonly #select = this.db.prepare("select tool from loaded_tools where task_id = ? and thread = ? order by id");

  /** In the order in which they were loaded. */
  ofThread(taskId: string, thread: string): readonly string[] {
    return this.#select.all(taskId, thread).map(({ tool }) => String(tool));
  }

  /** A tool that is loaded keeps its place. */
  add(taskId: string, thread: string, tools: readonly string[]): void {
    const insert = this.db.prepare(
      "insert into loaded_tools (task_id, thread, tool) values (?, ?, ?) on conflict do nothing",
    );
    for (const tool of tools) insert.run(taskId, thread, tool);
  }
}
