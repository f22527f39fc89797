import type { Store } from "./open-store.ts";
import { Table } from "./table.ts";
import { ToolDefinitionTable } from "./tool-definitions.ts";

interface KnownServer {
  /** Whether a turn has waited for its first listing. */
  readonly waited: boolean;
  /** Null before the first listing. `hashes`: by the server's name of the tool. */
  readonly listing: { readonly at: number; readonly hashes: ReadonlyMap<string, string> } | null;
}

/** A listing that says the same is stored again after this time. */
const REFRESH_MS = 60_000;

/** What is stored of tool servers. */
export const toolServerTables = <Definition>(store: Store) => ({
  pins: new ToolDefinitionTable<Definition>(store),
  known: new ToolServerTable(store),
});

/** What each MCP server listed last. Another address is another server, and replaces the row. */
class ToolServerTable extends Table {
  find(server: string, address: string): KnownServer | null {
    const row = this.db
      .prepare("select waited, listed_at, listed from tool_servers where server = ? and address = ?")
      .get(server, address);
    if (row === undefined) return null;
    const { waited, listed_at: at, listed } = row;
    const hashes = () => new Map(Object.entries(JSON.parse(String(listed)) as Record<string, string>));
    return { waited: waited === 1, listing: at === null ? null : { at: Number(at), hashes: hashes() } };
  }

  listed(server: string, address: string, { at, hashes }: NonNullable<KnownServer["listing"]>): void {
    this.db
      .prepare(
        `insert into tool_servers (server, address, waited, listed_at, listed) values (?, ?, 1, ?, ?)
         on conflict do update set address = excluded.address, waited = 1, listed_at = excluded.listed_at, listed = excluded.listed
         where address <> excluded.address or listed is not excluded.listed or listed_at < excluded.listed_at - ${REFRESH_MS}`,
      )
      .run(server, address, at, JSON.stringify(Object.fromEntries(hashes)));
  }

  waited(server: string, address: string): void {
    this.db
      .prepare(
        `insert into tool_servers (server, address, waited) values (?, ?, 1)
         on conflict do update set address = excluded.address, waited = 1, listed_at = null, listed = null
         where address <> excluded.address`,
      )
      .run(server, address);
  }
}
