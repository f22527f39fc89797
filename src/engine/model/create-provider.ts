import type { ModelProvider } from "./model-provider.ts";
import { sandboxProvider } from "./sandbox-provider.ts";

export interface ProviderSettings {
  readonly provider: "anthropic" | "openai" | "google" | "openai-compatible" | "sandbox";
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
}

export function createProvider(
  settings: ProviderSettings,
  _options: { readonly extraCaCerts: string | null },
): ModelProvider {
  if (settings.provider === "sandbox") return sandboxProvider;
  return sandboxProvider;
}
