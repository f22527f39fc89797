import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { anthropicEffort, anthropicThinking, cacheBreakpoints } from "./anthropic-options.ts";
import { type ModelFamily, type ModelSettings, packageSettings } from "./model-family.ts";
import type { Effort } from "../../contract/engine/model-choice.ts";
import type { ModelRequest } from "./model-provider.ts";

const BREAKPOINT: SharedV4ProviderOptions = { amazonBedrock: { cachePoint: { type: "default" } } };
/** The others refuse cache points. */
const SUPPORTS_CACHE_POINTS = /anthropic\.|amazon\.nova/;
const THINKS_BY_EFFORT = /amazon\.nova-2/;
/** An access key of AWS: `id:secret`, or `id:secret:session token` for temporary credentials. */
const ACCESS_KEY = /^(A[A-Z0-9]{15,}):([^:]+)(?::(.+))?$/s;

/** Bedrock's Converse API. */
export function openFamily(settings: ModelSettings): ModelFamily {
  const { region } = settings;
  const provider = createAmazonBedrock({ ...credentials(settings), ...(region !== undefined && { region }) });
  return {
    model: (id) => provider(id),
    adapt: (options, request) => {
      const reasoningConfig = thinkingOf(request, options.prompt);
      const budget = reasoningConfig?.type === "enabled" ? (reasoningConfig.budgetTokens ?? 0) : 0;
      return {
        ...(SUPPORTS_CACHE_POINTS.test(request.model) ? cacheBreakpoints(options, BREAKPOINT) : options),
        // The package adds the budget to `maxOutputTokens`.
        maxOutputTokens: request.maxOutputTokens - budget,
        ...(reasoningConfig && { providerOptions: { amazonBedrock: { reasoningConfig } } }),
      };
    },
  };
}

/** A Bedrock API key is sent as it is; an access key signs each request. */
function credentials(settings: ModelSettings) {
  const { apiKey, ...rest } = packageSettings(settings);
  const [, accessKeyId, secretAccessKey, sessionToken] = ACCESS_KEY.exec(apiKey ?? "") ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return { ...rest, ...(apiKey && { apiKey }) };
  // A blank key keeps the package from reading one from the environment.
  return { ...rest, apiKey: " ", accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

type Reasoning = {
  type?: "enabled" | "adaptive";
  budgetTokens?: number;
  maxReasoningEffort?: Effort;
};

function thinkingOf(request: ModelRequest, prompt: LanguageModelV4Prompt): Reasoning | undefined {
  const { model, thinking, effort } = request;
  if (model.includes("anthropic.")) {
    const [budget, maxReasoningEffort] = [anthropicThinking(request, prompt), anthropicEffort(request)];
    return maxReasoningEffort === undefined ? budget : { ...budget, maxReasoningEffort };
  }
  if (model.includes("openai.") && effort !== undefined) return { maxReasoningEffort: effort };
  return thinking && THINKS_BY_EFFORT.test(model)
    ? { type: "enabled", maxReasoningEffort: effort ?? "medium" }
    : undefined;
}
