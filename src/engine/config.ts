import { EnvironmentReader } from "../kit/environment.ts";
import type { LogLevel } from "../kit/logger.ts";

export const PROVIDERS = ["anthropic", "openai", "google", "openai-compatible", "sandbox"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

const LEVELS: Readonly<Record<string, LogLevel>> = { DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" };

/** What a provider uses when `LLM_MODEL` names none; a compatible server has models of its own. */
const DEFAULT_MODELS: Readonly<Record<ProviderName, string>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6.1-sol",
  google: "gemini-3.8-flash",
  "openai-compatible": "",
  sandbox: "sandbox",
};

export interface EngineConfig {
  readonly provider: ProviderName;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string;
  readonly toolConcurrency: number;
  readonly logLevel: LogLevel;
}

/** Reads the settings an engine was launched with; throws `InvalidSettings` with every problem. */
export function readEngineConfig(settings: Readonly<Record<string, string>>): EngineConfig {
  const read = new EnvironmentReader(settings);
  const apiKey = read.text("LLM_API_KEY");
  const provider = read.choice("LLM_PROVIDER", PROVIDERS, apiKey === undefined ? "sandbox" : "anthropic");
  const baseUrl = read.text("LLM_BASE_URL");
  const level = read.text("ENGINE_LOG_LEVEL", "INFO");
  const logLevel = LEVELS[level.toUpperCase()];
  if (logLevel === undefined)
    read.problem(`ENGINE_LOG_LEVEL: expected DEBUG, INFO, WARN or ERROR, got ${JSON.stringify(level)}`);
  const model = read.text("LLM_MODEL", DEFAULT_MODELS[provider]);
  const keyless = provider === "sandbox" || provider === "openai-compatible";
  if (!keyless && apiKey === undefined) read.problem(`LLM_API_KEY: expected the key of ${provider}`);
  if (provider === "openai-compatible") {
    if (baseUrl === undefined) read.problem("LLM_BASE_URL: expected the address of the openai-compatible server");
    if (model === "") read.problem("LLM_MODEL: expected the name of a model of the openai-compatible server");
  }
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) read.problem("LLM_BASE_URL: expected a URL");
  // Read so that a typo stops the boot today, not on the day something first asks for them.
  read.flag("REACTIVE_COMPACT_ENABLED", true);
  read.flag("CACHE_HIT_MONITOR_ENABLED", false);
  const toolConcurrency = read.integer("ORCH_CODE_MAX_TOOL_USE_CONCURRENCY", 10, { min: 1, max: 1000 });
  read.done();
  return { provider, apiKey, baseUrl, model, toolConcurrency, logLevel: logLevel ?? "info" };
}
