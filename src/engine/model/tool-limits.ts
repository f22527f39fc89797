import { isDeepStrictEqual } from "node:util";
import type { ModelTool } from "./model-provider.ts";
import { type RemoteProvider, wireRules } from "./wire/wire-rules.ts";
import { wireSchema } from "./wire/wire-schema.ts";

/** Share of the context window that tool definitions may take. */
const DEFINITIONS_SHARE = 0.5;

interface TargetModel {
  readonly provider: RemoteProvider | "sandbox";
  readonly model: string;
}

/** Maximum number of tools and tokens of their definitions for a model. */
export const toolLimits = ({ provider, model }: TargetModel, window: number) => ({
  maxTools: provider === "sandbox" ? Number.POSITIVE_INFINITY : wireRules(provider, model).maxTools,
  maxTokens: Math.floor(window * DEFINITIONS_SHARE),
});

/** Names of the tools whose input schema must be adapted for the provider. */
export function adaptedTools(tools: readonly ModelTool[], { provider, model }: TargetModel): ReadonlySet<string> {
  if (provider === "sandbox") return new Set();
  const rules = wireRules(provider, model);
  const isAdapted = ({ inputSchema }: ModelTool) =>
    !isDeepStrictEqual(wireSchema(inputSchema, rules).schema, inputSchema);
  return new Set(tools.filter(isAdapted).map(({ name }) => name));
}
