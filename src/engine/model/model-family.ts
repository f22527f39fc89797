import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelRequest } from "./model-provider.ts";

/** Connection settings of a provider. */
export interface ModelSettings {
  readonly apiKey: string | undefined;
  /** As the provider's SDK takes it. */
  readonly baseUrl: string | undefined;
  /** For providers with regions. */
  readonly region?: string | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** What differs between providers: how to open a model, and their own call options. */
export interface ModelFamily {
  model(id: string): LanguageModelV4;
  adapt(options: LanguageModelV4CallOptions, request: ModelRequest): LanguageModelV4CallOptions;
}

/** The settings as the provider packages name them. */
export const packageSettings = ({
  apiKey,
  baseUrl,
  fetch: send,
}: ModelSettings): { apiKey?: string; baseURL?: string; fetch?: typeof fetch } => ({
  ...(apiKey !== undefined && { apiKey }),
  ...(baseUrl !== undefined && { baseURL: baseUrl }),
  ...(send !== undefined && { fetch: send }),
});
