import { isDeepStrictEqual } from "node:util";
import type { ProviderName } from "../../../contract/settings/engine-settings.ts";
import type { ModelTool } from "../model-provider.ts";
import { wireToolName } from "./call-names.ts";
import { isStrictSchema } from "./strict-schema.ts";
import { type WireRules, wireRules } from "./wire-rules.ts";
import { type ArgumentNames, wireSchema } from "./wire-schema.ts";

/** Share of the context window that tool definitions may take, with those that were loaded. */
const DEFINITIONS_SHARE = 0.5;

interface TargetModel {
  readonly provider: ProviderName;
  readonly model: string;
}

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
      const strict = tool.strict === true && rules.strictTools && isStrictSchema(schema);
      return { name, description, inputSchema: schema, ...(strict && { strict }) };
    });
  }

  get isEmpty(): boolean {
    return this.tools.length === 0;
  }

  /** Renames the arguments of an earlier call as in the wire schema. */
  toWire(tool: string, input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return renamed(input, this.#byName.get(wireToolName(tool))?.names.toWire);
  }

  /** The tool's own name for that of a model's call. */
  originalName(tool: string): string {
    return this.#byName.get(tool)?.original ?? tool;
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

/** Limits of the tools in a request to a model. `share`: of the window, for those that are in every request. */
export const toolLimits = ({ provider, model }: TargetModel, window: number, share: number) => ({
  maxTools: provider === "sandbox" ? Number.POSITIVE_INFINITY : wireRules(provider, model).maxTools,
  maxTokens: Math.floor(window * DEFINITIONS_SHARE),
  shownTokens: Math.floor(window * share),
});

/** Names of the tools whose input schema must be adapted for the provider. */
export function adaptedTools(tools: readonly ModelTool[], { provider, model }: TargetModel): ReadonlySet<string> {
  if (provider === "sandbox") return new Set();
  const rules = wireRules(provider, model);
  const isAdapted = ({ inputSchema }: ModelTool) =>
    !isDeepStrictEqual(wireSchema(inputSchema, rules).schema, inputSchema);
  return new Set(tools.filter(isAdapted).map(({ name }) => name));
}
