import type { Tool } from "./tool.ts";

/** A tool as a model is shown it; `inputSchema` is JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ToolRegistry {
  get(name: string): Tool | undefined;
  readonly tools: readonly Tool[];
  /** Sorted by name and made once: the same bytes at every model call. */
  readonly modelTools: readonly ToolDefinition[];
}

/** A Map, so that a tool named like a member of objects (`constructor`) is simply unknown. */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const sorted = tools.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return {
    get: (name) => byName.get(name),
    tools: sorted,
    modelTools: sorted.map(({ name, description, input }) => ({ name, description, inputSchema: input.jsonSchema })),
  };
}

/** Where tools come from: built in, tool servers, the catalog. */
export interface ToolSource {
  /** The same array for as long as nothing has changed. */
  tools(): readonly Tool[];
}

/**
 * The tools of all sources as they are now; the same registry for as long as no source has changed. A turn takes it at
 * each model call, so that tools come and go between calls and never within one. Of two with one name the first
 * source's counts.
 */
export function joinedRegistry(sources: readonly ToolSource[]): () => ToolRegistry {
  let seen: readonly (readonly Tool[])[] = [];
  let registry = createToolRegistry([]);
  return () => {
    const lists = sources.map((source) => source.tools());
    if (lists.length !== seen.length || lists.some((list, at) => list !== seen[at])) {
      seen = lists;
      registry = createToolRegistry([
        ...new Map(
          lists
            .flat()
            .toReversed()
            .map((tool) => [tool.name, tool]),
        ).values(),
      ]);
    }
    return registry;
  };
}
