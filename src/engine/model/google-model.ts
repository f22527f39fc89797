import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { type ModelFamily, type ModelSettings, packageSettings } from "./model-family.ts";

/** These models refuse `includeThoughts`. */
const NEVER_THINKS = /gemini-(?:1|2\.0)|gemma/;

/** Google's `generateContent` API. */
export function openFamily(settings: ModelSettings): ModelFamily {
  const provider = createGoogleGenerativeAI(packageSettings(settings));
  return {
    model: (id) => provider(id),
    adapt: (options, { model, thinking, effort }) =>
      NEVER_THINKS.test(model)
        ? options
        : {
            ...options,
            // The package knows which levels and budgets a model has.
            ...(effort && { reasoning: effort }),
            ...(thinking && { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } }),
          },
  };
}
