import { createHash } from "node:crypto";
import { createOpenAI } from "@ai-sdk/openai";
import { type ModelFamily, type ModelSettings, packageSettings } from "./model-family.ts";
import type { ModelRequest } from "./model-provider.ts";

/**
 * The Responses interface, which keeps a model's reasoning from call to call. Nothing is left with the provider: the
 * reasoning comes to us encrypted and goes back with the conversation.
 */
export function openFamily(settings: ModelSettings): ModelFamily {
  const provider = createOpenAI(packageSettings(settings));
  return {
    model: (id) => provider.responses(id),
    embedding: (id) => provider.embeddingModel(id),
    adapt: (options, request) => ({
      ...options,
      providerOptions: {
        openai: {
          store: false,
          promptCacheKey: conversationKey(request),
          ...(request.thinking && { reasoningSummary: "auto" }),
        },
      },
    }),
  };
}

/** Calls of one conversation are to meet the same cache; one that begins alike meets it too. */
const conversationKey = ({ system, messages }: ModelRequest): string =>
  createHash("sha256")
    .update(JSON.stringify([system, messages[0]]))
    .digest("hex")
    .slice(0, 32);
