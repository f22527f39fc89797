import { createGoogleGenerativeAI } from "@ai-sdk/google";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelSettings } from "./create-provider.ts";

export const createModel = ({ apiKey, baseUrl }: ModelSettings, modelId: string): LanguageModelV4 =>
  createGoogleGenerativeAI({
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
  })(modelId);
