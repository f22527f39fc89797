import * as z from "zod/mini";
import type { Tool } from "./tool.ts";

/** A tool as a model is shown it; `inputSchema` is JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ToolRegistry {
  get(name: string): Tool | undefined;
  /** Sorted by name and made once: the same bytes at every model call. */
  readonly modelTools: readonly ToolDefinition[];
}

/** A Map, so that a tool named like a member of objects (`constructor`) is simply unknown. */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const sorted = tools.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return {
    get: (name) => byName.get(name),
    modelTools: sorted.map(({ name, description, input }) => {
      const { $schema: _, ...inputSchema } = z.toJSONSchema(input);
      return { name, description, inputSchema };
    }),
  };
}
