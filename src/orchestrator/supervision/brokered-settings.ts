import { EnvironmentReader } from "../../shared/environment.ts";
import type { ProviderName } from "../../contract/settings/model-name.ts";
import { EMBEDDINGS, type EmbeddingsEndpoint } from "../../contract/settings/embeddings-endpoint.ts";
import { readInteger } from "../../contract/settings/engine-settings.ts";
import { PROVIDER_SETTINGS } from "../../contract/settings/provider-settings.ts";
import {
  type Upstream,
  KEYLESS,
  isAddress,
  missingOf,
  providerOf,
  settingsOf,
} from "../../contract/settings/upstreams.ts";
import type { BrokerAccess } from "../fleet/broker/model-broker.ts";
import { type ModelRoute, sealCallKey } from "../../contract/broker/call-key.ts";

/** The settings of `LLM_PROVIDER` itself. */
const OWN = { key: "LLM_API_KEY", baseUrl: "LLM_BASE_URL" };

/**
 * The settings of an engine without the keys and addresses of providers. Those that it can call are the broker instead:
 * its address, and a key that only the broker can read. `upstreams` are those of these settings.
 */
export function brokeredSettings(
  settings: Readonly<Record<string, string>>,
  upstreams: ReadonlyMap<ProviderName, Upstream>,
  {
    engine,
    access,
  }: {
    readonly engine: Pick<ModelRoute, "engine" | "incarnation">;
    /** Called only when a provider needs the broker. */
    readonly access: () => BrokerAccess;
  },
): Record<string, string> {
  const read = new EnvironmentReader(settings);
  const own = providerOf(read);
  const requestsPerMinute = readInteger(read, "LLM_REQUESTS_PER_MINUTE");
  const rest = Object.fromEntries(Object.entries(settings).filter(([name]) => !HIDDEN.has(name)));
  for (const [provider, upstream] of upstreams) {
    const { apiKey = null, baseUrl = null, region = null } = upstream;
    if (provider === "sandbox" || (apiKey === null && !KEYLESS.includes(provider))) continue;
    if (baseUrl !== null && !isAddress(baseUrl)) continue;
    const { url, sealingKey } = access();
    const names = provider === own ? OWN : settingsOf(provider);
    rest[names.key] = sealCallKey(sealingKey, { ...engine, provider, apiKey, baseUrl, region, requestsPerMinute });
    // Without an address the engine says what else its provider needs.
    if (missingOf(provider, upstream) === null) rest[names.baseUrl] = url;
  }
  const endpoint = settings[EMBEDDINGS.url];
  if (endpoint !== undefined && isAddress(endpoint)) {
    const brokered = brokeredEndpoint({ url: endpoint, apiKey: settings[EMBEDDINGS.key] }, engine, access());
    rest[EMBEDDINGS.key] = brokered.apiKey;
    rest[EMBEDDINGS.url] = brokered.url;
  } else if (endpoint !== undefined) rest[EMBEDDINGS.url] = endpoint;
  const address = settings[OWN.baseUrl];
  if (rest[OWN.baseUrl] === undefined && address !== undefined && !isAddress(address)) rest[OWN.baseUrl] = address;
  // The default depends on the key.
  return { ...rest, LLM_PROVIDER: settings["LLM_PROVIDER"] || own };
}

/** The broker in the place of an embeddings endpoint. */
export function brokeredEndpoint(
  { url: baseUrl, apiKey }: Pick<EmbeddingsEndpoint, "url" | "apiKey">,
  caller: Pick<ModelRoute, "engine" | "incarnation">,
  { url, sealingKey }: BrokerAccess,
): { readonly url: string; readonly apiKey: string } {
  const route = { provider: "openai-compatible", apiKey: apiKey || null, baseUrl, region: null } as const;
  return { url, apiKey: sealCallKey(sealingKey, { ...caller, ...route }) };
}

const HIDDEN = new Set<string>([
  OWN.key,
  OWN.baseUrl,
  EMBEDDINGS.url,
  EMBEDDINGS.key,
  ...Object.keys(PROVIDER_SETTINGS),
]);
