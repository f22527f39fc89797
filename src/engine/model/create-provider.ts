import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { aiSdkProvider } from "./ai-sdk-provider.ts";
import type { ModelProvider } from "./model-provider.ts";
import { retryingProvider } from "./retrying-provider.ts";
import { sandboxProvider } from "./sandbox-provider.ts";

export interface ModelSettings {
  readonly provider: "anthropic" | "openai" | "google" | "openai-compatible" | "sandbox";
  readonly apiKey: string | undefined;
  /** As the provider's own package takes it. */
  readonly baseUrl: string | undefined;
}

/** The provider of an engine. Its package is loaded at the first call, and only that one. */
export function createProvider(
  settings: ModelSettings,
  { extraCaCerts }: { readonly extraCaCerts: string | null },
): ModelProvider {
  const { provider } = settings;
  // What the sandbox was told to fail with is to be seen, not to be tried again.
  if (provider === "sandbox") return sandboxProvider;
  const load = async (modelId: string): Promise<LanguageModelV4> => {
    if (extraCaCerts !== null) trust(extraCaCerts);
    const { createModel } = await packageOf(provider);
    return createModel(settings, modelId);
  };
  return retryingProvider(aiSdkProvider({ name: provider, load }));
}

interface ProviderPackage {
  createModel(settings: ModelSettings, modelId: string): LanguageModelV4;
}

function packageOf(provider: Exclude<ModelSettings["provider"], "sandbox">): Promise<ProviderPackage> {
  switch (provider) {
    case "anthropic":
      return import("./anthropic-model.ts");
    case "openai":
      return import("./openai-model.ts");
    case "google":
      return import("./google-model.ts");
    case "openai-compatible":
      return import("./openai-compatible-model.ts");
    default:
      return provider satisfies never;
  }
}

/** Behind an inspecting proxy. Read here, not by NODE_EXTRA_CA_CERTS: that would cost every engine's boot 40 ms. */
function trust(file: string): void {
  setDefaultCACertificates([...getCACertificates("default"), readFileSync(file, "utf8")]);
}
