import { Table } from "./table.ts";

export interface ToolDefinitionRow {
  readonly tool: string;
  readonly hash: string;
  /** JSON. */
  readonly definition: string;
}

/** Pinned definitions of MCP tools, as first seen or last allowed. */
export class ToolDefinitionTable extends Table {
  ofServer(server: string): ToolDefinitionRow[] {
    return this.db
      .prepare("select tool, hash, definition from tool_definitions where server = ?")
      .all(server) as unknown as ToolDefinitionRow[];
  }

  put(server: string, rows: readonly ToolDefinitionRow[], pinnedAt: number): void {
    const insert = this.db.prepare(
      `insert into tool_definitions (server, tool, hash, definition, pinned_at) values (?, ?, ?, ?, ?)
       on conflict do update set hash = excluded.hash, definition = excluded.definition, pinned_at = excluded.pinned_at`,
    );
    this.store.transaction(() => {
      for (const { tool, hash, definition } of rows) insert.run(server, tool, hash, definition, pinnedAt);
    });
  }
}
