import { isDeepStrictEqual } from "node:util";
import type { ModelTool } from "./model-provider.ts";
import { type RemoteProvider, wireRules } from "./wire/wire-rules.ts";
import { wireSchema } from "./wire/wire-schema.ts";

/** Of a model's window: the conversation needs the rest. */
const DEFINITIONS_SHARE = 0.5;

interface ShownTo {
  readonly provider: RemoteProvider | "sandbox";
  readonly model: string;
}

/** How many tools a model can be shown, and how many tokens their definitions may take. */
export const toolLimits = ({ provider, model }: ShownTo, window: number) => ({
  maxTools: provider === "sandbox" ? Number.POSITIVE_INFINITY : wireRules(provider, model).maxTools,
  maxTokens: Math.floor(window * DEFINITIONS_SHARE),
});

/** Names of the tools whose arguments a model is shown in another form than their server lists. */
export function adaptedTools(tools: readonly ModelTool[], { provider, model }: ShownTo): ReadonlySet<string> {
  if (provider === "sandbox") return new Set();
  const rules = wireRules(provider, model);
  const isAdapted = ({ inputSchema }: ModelTool) =>
    !isDeepStrictEqual(wireSchema(inputSchema, rules).schema, inputSchema);
  return new Set(tools.filter(isAdapted).map(({ name }) => name));
}
