import type { ModelTool } from "../model-provider.ts";
import { wireToolName } from "./call-names.ts";
import { type ArgumentNames, wireSchema } from "./wire-schema.ts";
import type { WireRules } from "./wire-rules.ts";

/** The tools of a request in the provider's format, and the mapping back for the model's calls. */
export class WireTools {
  readonly tools: readonly ModelTool[];
  readonly #byName = new Map<string, { readonly original: string; readonly names: ArgumentNames }>();

  constructor(tools: readonly ModelTool[], rules: WireRules) {
    this.tools = tools.map((tool) => {
      const { schema, names } = wireSchema(tool.inputSchema, rules);
      const name = wireToolName(tool.name);
      this.#byName.set(name, { original: tool.name, names });
      const description = tool.description.trim() === "" ? name : tool.description.toWellFormed();
      return { name, description, inputSchema: schema };
    });
  }

  get isEmpty(): boolean {
    return this.tools.length === 0;
  }

  /** Renames the arguments of an earlier call as in the wire schema. */
  toWire(tool: string, input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return renamed(input, this.#byName.get(wireToolName(tool))?.names.toWire);
  }

  /** Maps a model's call back to the tool's own names. */
  original<Call extends { readonly tool: string; readonly input: Readonly<Record<string, unknown>> | null }>(
    call: Call,
  ): Call {
    const known = this.#byName.get(call.tool);
    if (known === undefined) return call;
    return { ...call, tool: known.original, input: call.input && renamed(call.input, known.names.toOriginal) };
  }
}

function renamed(
  input: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string> | undefined,
): Readonly<Record<string, unknown>> {
  if (names === undefined || names.size === 0) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]));
}
