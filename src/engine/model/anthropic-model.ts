import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelSettings } from "./create-provider.ts";

export const createModel = ({ apiKey, baseUrl }: ModelSettings, modelId: string): LanguageModelV4 =>
  createAnthropic({ ...(apiKey !== undefined && { apiKey }), ...(baseUrl !== undefined && { baseURL: baseUrl }) })(
    modelId,
  );
