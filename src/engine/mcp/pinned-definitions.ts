import type { Definition } from "./tool-definition.ts";

export interface PinnedDefinition {
  readonly hash: string;
  readonly definition: Definition;
}

/** What each tool was when it was first seen, or last allowed: kept over restarts. */
export interface PinnedDefinitions {
  /** By the server's own name of the tool. */
  ofServer(server: string): ReadonlyMap<string, PinnedDefinition>;
  pin(server: string, tools: ReadonlyMap<string, PinnedDefinition>): void;
}

interface Row {
  readonly tool: string;
  readonly hash: string;
  readonly definition: string;
}

export interface PinsTable {
  ofServer(server: string): readonly Row[];
  put(server: string, rows: readonly Row[], pinnedAt: number): void;
}

/** Over a table that keeps them as text. */
export function pinnedDefinitions(table: PinsTable): PinnedDefinitions {
  return {
    ofServer: (server) =>
      new Map(
        table
          .ofServer(server)
          .map(({ tool, hash, definition }) => [tool, { hash, definition: JSON.parse(definition) as Definition }]),
      ),
    pin(server, tools) {
      const rows = [...tools].map(([tool, { hash, definition }]) => ({
        tool: tool.toWellFormed(),
        hash,
        definition: JSON.stringify(definition),
      }));
      table.put(server, rows, Date.now());
    },
  };
}
