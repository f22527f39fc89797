import type { EmbeddingModelV4, LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelRequest } from "./model-provider.ts";

/** What an engine knows of its provider. */
export interface ModelSettings {
  readonly apiKey: string | undefined;
  /** As the provider's own package takes it. */
  readonly baseUrl: string | undefined;
  /** Where the provider's servers are, for one that has regions. */
  readonly region?: string | undefined;
  /** Sends the requests; the global one if left out. */
  readonly fetch?: typeof fetch | undefined;
}

/** What differs between providers: how a model is opened, and what a call says beyond what all of them understand. */
export interface ModelFamily {
  model(id: string): LanguageModelV4;
  /** Left out by providers that have no such models. */
  embedding?(id: string): EmbeddingModelV4;
  adapt(options: LanguageModelV4CallOptions, request: ModelRequest): LanguageModelV4CallOptions;
}

/** The settings in the words of the provider packages. */
export const packageSettings = ({
  apiKey,
  baseUrl,
  fetch: send,
}: ModelSettings): { apiKey?: string; baseURL?: string; fetch?: typeof fetch } => ({
  ...(apiKey !== undefined && { apiKey }),
  ...(baseUrl !== undefined && { baseURL: baseUrl }),
  ...(send !== undefined && { fetch: send }),
});
