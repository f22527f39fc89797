import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelSettings } from "./create-provider.ts";

/** The Responses interface, which keeps a model's reasoning from call to call. */
export const createModel = ({ apiKey, baseUrl }: ModelSettings, modelId: string): LanguageModelV4 =>
  createOpenAI({
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
  }).responses(modelId);
