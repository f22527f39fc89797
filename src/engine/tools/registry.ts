import type { Tool } from "./tool.ts";

/** A tool as the model sees it; `inputSchema` is JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly strict?: true;
}

export interface ToolRegistry {
  get(name: string): Tool | undefined;
  readonly tools: readonly Tool[];
  /** What the model sees of a tool. */
  definition(name: string): ToolDefinition | undefined;
  /** Sorted by name and built once: byte-identical at every model call, for the prompt cache. */
  readonly modelTools: readonly ToolDefinition[];
}

/** Uses a Map, because a model may ask for a tool named `constructor`. */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const sorted = tools.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const definitions = new Map<string, ToolDefinition>(
    sorted.map(({ name, description, input, endsTurn }) => [
      name,
      { name, description, inputSchema: input.jsonSchema, ...(endsTurn === true && { strict: true }) },
    ]),
  );
  return {
    get: (name) => byName.get(name),
    tools: sorted,
    definition: (name) => definitions.get(name),
    modelTools: [...definitions.values()],
  };
}

/** A source of tools: built in, tool servers, the catalog. */
export interface ToolSource {
  /** The same array while nothing changes. */
  tools(): readonly Tool[];
}

/**
 * A registry of the current tools of all sources; the same object while no source changes. A turn reads it at each model
 * call, so that tools never change during a call. The first source wins a duplicate name.
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
