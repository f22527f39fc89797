import { createOpenAI } from "@ai-sdk/openai";
import { type ModelFamily, type ModelSettings, packageSettings } from "./model-family.ts";

/**
 * The Responses interface, which keeps a model's reasoning from call to call. Nothing is left with the provider: the
 * reasoning comes to us encrypted and goes back with the conversation.
 */
export function openFamily(settings: ModelSettings): ModelFamily {
  const provider = createOpenAI(packageSettings(settings));
  return {
    model: (id) => provider.responses(id),
    adapt: (options, { thinking }) => ({
      ...options,
      providerOptions: { openai: { store: false, ...(thinking && { reasoningSummary: "auto" }) } },
    }),
  };
}
