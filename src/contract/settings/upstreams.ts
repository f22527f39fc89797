import { EnvironmentReader } from "../../shared/environment.ts";
import type { ProviderName } from "./model-name.ts";
import { PROVIDERS } from "./agent-settings.ts";

/** Where models of a provider are called, and with which key. */
export interface Upstream {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  /** Only for `bedrock`. */
  readonly region: string | undefined;
}

export const KEYLESS: readonly ProviderName[] = ["sandbox", "openai-compatible"];

export const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

export const providerOf = (read: EnvironmentReader): ProviderName =>
  read.choice("LLM_PROVIDER", PROVIDERS, read.text("LLM_API_KEY") === undefined ? "sandbox" : "anthropic");

/** The providers that an engine with these settings can call. The first one is `LLM_PROVIDER`. */
export function engineProviders(settings: Readonly<Record<string, string>>): ReadonlyMap<ProviderName, Upstream> {
  const read = new EnvironmentReader(settings);
  const own = providerOf(read);
  const region = read.text("LLM_REGION");
  const upstream = { apiKey: read.text("LLM_API_KEY"), baseUrl: read.text("LLM_BASE_URL"), region };
  return new Map([[own, upstream], ...readUpstreams(read, own)]);
}

/** The names of the settings of a provider beside `LLM_PROVIDER`, for messages. */
export const settingsOf = (provider: ProviderName) => ({
  key: `${prefixOf(provider)}_API_KEY`,
  baseUrl: `${prefixOf(provider)}_BASE_URL`,
  model: "the model's name",
});

const prefixOf = (provider: ProviderName): string => `LLM_${provider.toUpperCase().replaceAll("-", "_")}`;

/** The providers beside `own` that have what they need. The sandbox needs nothing. */
export function readUpstreams(read: EnvironmentReader, own: ProviderName): ReadonlyMap<ProviderName, Upstream> {
  const upstreams = new Map<ProviderName, Upstream>();
  for (const provider of PROVIDERS) {
    if (provider === own) continue;
    const upstream = readUpstream(read, provider);
    if (missingOf(provider, upstream) === null) upstreams.set(provider, upstream);
  }
  return upstreams;
}

/** The settings that a provider beside `LLM_PROVIDER` needs and does not have; null when it has them. */
export function missingOf(provider: ProviderName, { apiKey, baseUrl, region }: Partial<Upstream>): string | null {
  const prefix = prefixOf(provider);
  if (!KEYLESS.includes(provider) && apiKey === undefined) return `${prefix}_API_KEY`;
  if (provider === "openai-compatible" && baseUrl === undefined) return `${prefix}_BASE_URL`;
  return provider === "bedrock" && region === undefined && baseUrl === undefined ? "LLM_REGION" : null;
}

function readUpstream(read: EnvironmentReader, provider: ProviderName): Upstream {
  if (provider === "sandbox") return NOTHING;
  const name = `${prefixOf(provider)}_BASE_URL`;
  const baseUrl = read.text(name);
  if (baseUrl !== undefined && !isAddress(baseUrl))
    read.problem(`${name}: expected a URL that begins with http:// or https://`);
  return { apiKey: read.text(`${prefixOf(provider)}_API_KEY`), baseUrl, region: read.text("LLM_REGION") };
}

const NOTHING: Upstream = { apiKey: undefined, baseUrl: undefined, region: undefined };
