import type { ModelHealth } from "../../contract/engine-api.ts";
import type { Logger } from "../../shared/logger.ts";
import { type Deadlines, aiSdkProvider } from "./ai-sdk-provider.ts";
import { monitoredProvider } from "./cache-monitor.ts";
import { type Embedder, createEmbedder } from "./embedder.ts";
import { loggedProvider } from "./logged-provider.ts";
import type { ModelFamily, ModelSettings } from "./model-family.ts";
import type { ModelProvider } from "./model-provider.ts";
import { createModelStatus } from "./model-status.ts";
import { plainRetryProvider } from "./plain-retry.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { retryingProvider } from "./retrying-provider.ts";
import { sandboxProvider } from "./sandbox-provider.ts";
import { trustCertificates } from "./trust-certificates.ts";
import type { RemoteProvider } from "./wire/wire-rules.ts";

export interface ProviderSettings extends ModelSettings {
  readonly provider: RemoteProvider | "sandbox";
  readonly deadlines?: Deadlines;
  /** Whether the log tells of calls that the provider's cache should have served. */
  readonly cacheHitMonitor?: boolean;
  /** What makes vectors of texts; null or left out: nothing does. */
  readonly embeddingModel?: string | null;
}

export interface EngineProvider extends ModelProvider {
  /** Reads all it needs from the installation and the disk; else its first call does. What failed is tried again then. */
  load(): Promise<unknown>;
  /** Left out where none is named. */
  readonly embedder?: Embedder;
  /** For how long background calls to the model are better not made: its limit is reached, or turns wait for it. */
  closedForMs(model: string): number;
  /** How the last call went. */
  health(): ModelHealth;
}

/** The provider of an engine; all of its model calls go through it. Nothing is loaded before it is asked. */
export function createProvider(
  settings: ProviderSettings,
  { extraCaCerts, logger }: { readonly extraCaCerts: string | null; readonly logger: Logger },
): EngineProvider {
  const { provider } = settings;
  // What the sandbox was told to fail with is to be seen, not to be tried again.
  if (provider === "sandbox") {
    const health = () => ({ status: "ok", last_error: null, last_error_at: null, next_try_at: null }) as const;
    return { ...loggedProvider(sandboxProvider, logger), load: () => Promise.resolve(), closedForMs: () => 0, health };
  }
  const load = once(async () => {
    if (extraCaCerts !== null) await trustCertificates(extraCaCerts);
    return (await importFamily(provider)).openFamily(settings);
  });
  const limiter = new RateLimiter();
  const remote = aiSdkProvider({
    name: provider,
    load,
    ...(settings.deadlines && { deadlines: settings.deadlines }),
    heard: (request, headers) => limiter.heard(request, headers, Date.now()),
  });
  const { report, health } = createModelStatus(logger);
  const retrying = plainRetryProvider(retryingProvider(remote, { limiter, report }), logger);
  const watched = settings.cacheHitMonitor ? monitoredProvider(retrying, logger) : retrying;
  const closedForMs = (model: string) => limiter.closedForMs(model, Date.now());
  const { embeddingModel: id = null } = settings;
  const openEmbedding = async (model: string) => {
    const family = await load();
    if (family.embedding === undefined) throw new Error(`${provider} has no embedding models`);
    return family.embedding(model);
  };
  const embedder = id !== null && createEmbedder({ provider, model: id, open: () => openEmbedding(id), limiter });
  return { ...loggedProvider(watched, logger), load, closedForMs, health, ...(embedder && { embedder }) };
}

interface FamilyModule {
  openFamily(settings: ModelSettings): ModelFamily;
}

/** Each is a bundle of its own: an engine carries only the one it uses. */
function importFamily(provider: RemoteProvider): Promise<FamilyModule> {
  switch (provider) {
    case "anthropic":
      return import("./anthropic-model.ts");
    case "openai":
      return import("./openai-model.ts");
    case "google":
      return import("./google-model.ts");
    case "bedrock":
      return import("./bedrock-model.ts");
    case "openai-compatible":
      return import("./openai-compatible-model.ts");
    default:
      return provider satisfies never;
  }
}

/** Runs at the first call and gives every other the same; what failed may be tried again. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}
