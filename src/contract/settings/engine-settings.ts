import type { EnvironmentReader } from "../../shared/environment.ts";
import type { LogLevel } from "../../shared/logger.ts";
import type { AttachmentKind } from "../engine/attachment-limits.ts";
import type { ProviderName } from "./model-name.ts";
import { type EmbeddingsEndpoint, readEmbeddings } from "./embeddings-endpoint.ts";
import { ENGINE_LOG_LEVELS, PROVIDERS, SETTINGS, TITLES, type SettingName } from "./settings.ts";
import { type Upstream, KEYLESS, isAddress, providerOf, readUpstreams } from "./upstreams.ts";

export { PROVIDERS };
export type { ProviderName } from "./model-name.ts";

/** The model when `LLM_MODEL` is unset. Null where only the operator knows the models. */
const DEFAULT_MODELS: Readonly<Record<ProviderName, string | null>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6.1-sol",
  google: "gemini-3.8-flash",
  bedrock: null,
  "openai-compatible": null,
  sandbox: "sandbox",
};

/** Kinds of attachments that are sent as they are. Text is sent as text, and other files as a note. */
export const READABLE_KINDS = ["image", "pdf", "audio"] as const satisfies readonly AttachmentKind[];
export type ReadableKind = (typeof READABLE_KINDS)[number];

/** An engine's settings, parsed. */
export interface EngineConfig extends Upstream {
  readonly provider: ProviderName;
  /** The other providers that its models may be of. */
  readonly upstreams: ReadonlyMap<ProviderName, Upstream>;
  readonly model: string;
  /** For compaction and summaries. Default: the main model. */
  readonly lightModel: string;
  readonly plannerModel: string;
  /** Null: memories are searched by words alone. */
  readonly embeddings: EmbeddingsEndpoint | null;
  /** The folder of related words, or `none`. Null: the one that orchd brings. */
  readonly wordVectors: string | null;
  /** Of all engines with one key. The broker holds it. Null: no limit. */
  readonly requestsPerMinute: number | null;
  /** Tokens. Null: derived from the model. */
  readonly contextWindow: number | null;
  /** The attachment kinds that the models read. Null: by the model's name. */
  readonly attachments: readonly ReadableKind[] | null;
  /** Time limits of a model call: to its first token, and between two tokens. */
  readonly deadlines: { readonly firstMs: number; readonly betweenMs: number };
  readonly reactiveCompact: boolean;
  readonly cacheHitMonitor: boolean;
  /** Whether requests to models are kept for a day. */
  readonly keepRequests: boolean;
  /** Who writes the titles of tasks. */
  readonly titles: (typeof TITLES)[number];
  readonly toolConcurrency: number;
  /** Share of the context window for tool definitions, 0 to 1. */
  readonly toolsShare: number;
  /** The timeout of a question to a person, which then counts as denied. Null: no limit. */
  readonly hitlTtlMs: number | null;
  readonly logLevel: LogLevel;
}

/**
 * Reads an engine's settings, by the same rules in the engine and in the daemon. An invalid value is a problem of
 * `read`. A missing one is reported to `unfit`: a product's settings may complete those of the daemon.
 */
export function readEngineSettings(read: EnvironmentReader, unfit: (problem: string) => void): EngineConfig {
  const upstream = readUpstream(read, unfit);
  const hitlTtlS = readInteger(read, "ENGINE_HITL_TTL_S");
  return {
    ...upstream,
    lightModel: read.text("LIGHT_MODEL", upstream.model),
    plannerModel: read.text("PLANNER_MODEL", upstream.model),
    embeddings: readEmbeddings(read, unfit),
    wordVectors: readWordVectors(read),
    requestsPerMinute: readInteger(read, "LLM_REQUESTS_PER_MINUTE"),
    contextWindow: readInteger(read, "LLM_CONTEXT_WINDOW"),
    attachments: readAttachments(read),
    deadlines: {
      firstMs: readInteger(read, "LLM_FIRST_TOKEN_TIMEOUT_S") * 1000,
      betweenMs: readInteger(read, "LLM_SILENCE_TIMEOUT_S") * 1000,
    },
    reactiveCompact: readFlag(read, "REACTIVE_COMPACT_ENABLED"),
    cacheHitMonitor: readFlag(read, "CACHE_HIT_MONITOR_ENABLED"),
    keepRequests: readFlag(read, "ENGINE_KEEP_REQUESTS"),
    titles: read.choice("ENGINE_TITLES", TITLES, SETTINGS.ENGINE_TITLES.value.fallback),
    hitlTtlMs: hitlTtlS === null ? null : hitlTtlS * 1000,
    toolsShare: readInteger(read, "ENGINE_TOOLS_SHARE") / 100,
    toolConcurrency: readInteger(read, "ORCH_CODE_MAX_TOOL_USE_CONCURRENCY"),
    logLevel: readLevel(read),
  };
}

function readUpstream(read: EnvironmentReader, unfit: (problem: string) => void) {
  const apiKey = read.text("LLM_API_KEY");
  const provider = providerOf(read);
  const baseUrl = read.text("LLM_BASE_URL");
  const region = read.text("LLM_REGION");
  const model = read.text("LLM_MODEL", DEFAULT_MODELS[provider] ?? "");
  if (!KEYLESS.includes(provider) && apiKey === undefined) unfit(`LLM_API_KEY: expected the key of ${provider}`);
  if (model === "") unfit(`LLM_MODEL: expected the name of a model of ${provider}`);
  if (provider === "openai-compatible" && baseUrl === undefined)
    unfit("LLM_BASE_URL: expected the address of the openai-compatible server");
  if (provider === "bedrock" && region === undefined && baseUrl === undefined)
    unfit("LLM_REGION: expected the region of bedrock, such as us-east-1");
  if (region !== undefined && !/^[a-z]{2,}(-[a-z]+)+-\d+$/.test(region))
    read.problem(`LLM_REGION: expected a region such as us-east-1, got ${JSON.stringify(region)}`);
  if (baseUrl !== undefined && !isAddress(baseUrl))
    read.problem("LLM_BASE_URL: expected a URL that begins with http:// or https://");
  return { provider, apiKey, baseUrl, region, model, upstreams: readUpstreams(read, provider) };
}

function readWordVectors(read: EnvironmentReader): string | null {
  const folder = read.text("ENGINE_WORD_VECTORS");
  if (folder === undefined || folder === "") return null;
  if (folder !== "none" && !folder.startsWith("/"))
    read.problem(`ENGINE_WORD_VECTORS: expected none or the absolute path of a folder, got ${JSON.stringify(folder)}`);
  return folder;
}

function readAttachments(read: EnvironmentReader): readonly ReadableKind[] | null {
  const text = read.text("LLM_ATTACHMENTS");
  if (text === undefined || text === "") return null;
  if (text === "none") return [];
  const names = text.split(",").map((name) => name.trim());
  const kinds = READABLE_KINDS.filter((kind) => names.includes(kind));
  if (names.some((name) => !READABLE_KINDS.some((kind) => kind === name)))
    read.problem(
      `LLM_ATTACHMENTS: expected none, or some of ${READABLE_KINDS.join(", ")} separated by commas, got ${JSON.stringify(text)}`,
    );
  return kinds;
}

function readLevel(read: EnvironmentReader): LogLevel {
  const level = read.text("ENGINE_LOG_LEVEL", SETTINGS.ENGINE_LOG_LEVEL.value.fallback);
  const known = ENGINE_LOG_LEVELS.find((one) => one === level.toUpperCase());
  if (known === undefined)
    read.problem(`ENGINE_LOG_LEVEL: expected DEBUG, INFO, WARN or ERROR, got ${JSON.stringify(level)}`);
  return (known ?? "INFO").toLowerCase() as LogLevel;
}

type Rows = typeof SETTINGS;
type Value<Name extends SettingName> = Rows[Name]["value"];
type NamesOf<Kind extends string> = {
  [Name in SettingName]: Value<Name> extends { readonly kind: Kind } ? Name : never;
}[SettingName];

/** Reads a setting by the bounds of its row. Null when it is unset and its row has no fallback. */
export function readInteger<Name extends NamesOf<"integer">>(
  read: EnvironmentReader,
  name: Name,
): number | Extract<Value<Name>["fallback"], null> {
  const { min, max, fallback }: { min: number; max: number; fallback: number | null } = SETTINGS[name].value;
  if (fallback === null && read.text(name) === undefined) return null as Extract<Value<Name>["fallback"], null>;
  return read.integer(name, fallback ?? min, { min, max });
}

const readFlag = (read: EnvironmentReader, name: NamesOf<"flag">): boolean =>
  read.flag(name, SETTINGS[name].value.fallback);
