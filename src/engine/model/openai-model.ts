import { createOpenAI } from "@ai-sdk/openai";
import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { type ModelFamily, type ModelSettings, packageSettings } from "./model-family.ts";
import type { ModelRequest } from "./model-provider.ts";

/**
 * OpenAI's Responses API, which carries reasoning from call to call. Nothing is stored at the provider: reasoning is
 * returned encrypted and sent back with the conversation.
 */
export function openFamily(settings: ModelSettings): ModelFamily {
  const provider = createOpenAI(packageSettings(settings));
  return {
    model: (id) => provider.responses(id),
    adapt: (options, request) => ({
      ...options,
      providerOptions: {
        openai: {
          store: false,
          promptCacheKey: conversationKey(request),
          // The package leaves both out for a model that does not reason.
          ...(request.effort && { reasoningEffort: request.effort }),
          reasoningSummary: request.thinking ? "auto" : null,
        },
      },
    }),
  };
}

/** Calls with the same system prompt and first message share a cache. */
const conversationKey = ({ system, messages }: ModelRequest): string =>
  sha256(JSON.stringify([system, messages[0]])).slice(0, 32);
