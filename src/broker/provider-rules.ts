import type { CalledProvider, ModelRoute } from "../contract/broker/call-key.ts";

/** How calls of a provider are recognised and authorized. */
interface ProviderRule {
  /** Its own address, as its package has it. */
  readonly address: (route: ModelRoute) => string;
  /** The paths of model calls. The key opens no others. */
  readonly paths: RegExp;
  /** The headers that carry the key. */
  readonly headers: (apiKey: string) => readonly (readonly [string, string])[];
}

/** For an address of the operator's own, whose region is not set. */
export const DEFAULT_REGION = "us-east-1";

const bearer = (apiKey: string) => [["authorization", `Bearer ${apiKey}`]] as const;

export const PROVIDER_RULES: Readonly<Record<CalledProvider, ProviderRule>> = {
  anthropic: {
    address: () => "https://api.anthropic.com/v1",
    paths: /^\/messages$/,
    headers: (apiKey) => [["x-api-key", apiKey]],
  },
  openai: {
    address: () => "https://api.openai.com/v1",
    paths: /^\/(?:responses|chat\/completions|embeddings)$/,
    headers: bearer,
  },
  google: {
    address: () => "https://generativelanguage.googleapis.com/v1beta",
    paths:
      /^\/[\w.%-]+(?:\/[\w.%-]+)*:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents)(?:\?alt=sse)?$/,
    headers: (apiKey) => [["x-goog-api-key", apiKey]],
  },
  bedrock: {
    address: bedrockAddress,
    paths: /^\/model\/[\w.%:-]+\/(?:converse|converse-stream|invoke)$/,
    headers: bearer,
  },
  "openai-compatible": {
    address: ({ baseUrl }) => baseUrl ?? "",
    paths: /^\/(?:chat\/completions|embeddings)$/,
    headers: bearer,
  },
};

/** The partitions of AWS with a suffix of their own. */
const AWS_SUFFIXES = [
  ["cn-", "amazonaws.com.cn"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
  ["eusc-", "amazonaws.eu"],
] as const;

function bedrockAddress({ region }: ModelRoute): string {
  const known = region ?? DEFAULT_REGION;
  const [, suffix = "amazonaws.com"] = AWS_SUFFIXES.find(([prefix]) => known.startsWith(prefix)) ?? [];
  return `https://bedrock-runtime.${known}.${suffix}`;
}

/** The model of a call whose path names it. Null where the body does. */
export function modelIn(provider: CalledProvider, path: string): string | null {
  if (provider === "google")
    return path
      .slice(1)
      .replace(/:[A-Za-z]+(?:\?.*)?$/, "")
      .replace(/^models\//, "");
  return provider === "bedrock" ? decoded(path.split("/")[2] ?? "") : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** False for embeddings, which have no output. */
export const yieldsText = (path: string): boolean => !/\/embeddings$|mbedContents?$|\/invoke$/.test(path);

/** The headers in which the packages of the providers send a key. */
export const KEY_HEADERS = ["x-api-key", "x-goog-api-key", "authorization"] as const;

/** A path with dots as segments would leave the provider's address. */
const LEAVES = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** The address of a call, by the path under the broker's address. Null when the path is no model call. */
export function addressOf(route: ModelRoute, path: string): URL | null {
  const { address, paths } = PROVIDER_RULES[route.provider];
  if (!paths.test(path) || LEAVES.test(path)) return null;
  const base = (route.baseUrl ?? address(route)).replace(/\/+$/, "");
  return URL.parse(base + path);
}
