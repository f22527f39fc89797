import type { Definition } from "./tool-definition.ts";

export interface PinnedDefinition {
  readonly hash: string;
  readonly definition: Definition;
}

/** Definition of each tool when first seen or last allowed; persistent. */
export interface PinnedDefinitions {
  /** By the server's name of the tool. */
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
