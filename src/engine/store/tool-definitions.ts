import { Table } from "./table.ts";

interface PinnedDefinition<Definition> {
  readonly hash: string;
  readonly definition: Definition;
}

/** Pinned definitions of MCP tools, as first seen or last allowed. */
export class ToolDefinitionTable<Definition> extends Table {
  /** By the server's name of the tool. */
  ofServer(server: string): ReadonlyMap<string, PinnedDefinition<Definition>> {
    const rows = this.db.prepare("select tool, hash, definition from tool_definitions where server = ?").all(server);
    return new Map(
      rows.map(({ tool, hash, definition }) => [
        String(tool),
        { hash: String(hash), definition: JSON.parse(String(definition)) as Definition },
      ]),
    );
  }

  pin(server: string, tools: ReadonlyMap<string, PinnedDefinition<Definition>>): void {
    const insert = this.db.prepare(
      `insert into tool_definitions (server, tool, hash, definition, pinned_at) values (?, ?, ?, ?, ?)
       on conflict do update set hash = excluded.hash, definition = excluded.definition, pinned_at = excluded.pinned_at`,
    );
    this.store.transaction(() => {
      for (const [tool, { hash, definition }] of tools)
        insert.run(server, tool.toWellFormed(), hash, JSON.stringify(definition), Date.now());
    });
  }
}
