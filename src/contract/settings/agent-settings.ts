import { type SettingRow, TEXT } from "./setting-row.ts";

export const PROVIDERS = ["anthropic", "openai", "google", "bedrock", "openai-compatible", "sandbox"] as const;
export const ENGINE_LOG_LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"] as const;
/** The HTTP client gives up by itself after five minutes of silence. */
const SILENCE = { kind: "integer", min: 1, max: 290 } as const;

/** Settings of engines: the model and the agent loop. */
export const AGENT_SETTINGS = {
  LLM_PROVIDER: {
    scope: "product",
    value: { kind: "choice", values: PROVIDERS, fallback: null },
    unset: "`anthropic` with `LLM_API_KEY`, else `sandbox`",
    description: "The model provider",
  },
  LLM_API_KEY: {
    scope: "product",
    value: TEXT,
    secret: true,
    description: "The provider's key. For `bedrock` also an AWS access key as `ID:SECRET` or `ID:SECRET:TOKEN`",
  },
  LLM_MODEL: { scope: "product", value: TEXT, unset: "the provider's default", description: "The main model" },
  LLM_BASE_URL: {
    scope: "product",
    value: TEXT,
    unset: "the provider's",
    description: "Another address that takes the provider's protocol",
  },
  LLM_REGION: { scope: "product", value: TEXT, description: "The region of `bedrock`, such as `us-east-1`" },
  LLM_CONTEXT_WINDOW: {
    scope: "product",
    value: { kind: "integer", min: 4000, max: 100_000_000, fallback: null },
    unset: "the model's own where it is known, else 128000",
    description: "Tokens that the models can read and write in one call",
  },
  LLM_ATTACHMENTS: {
    scope: "product",
    value: TEXT,
    unset: "by the model's name",
    description:
      "Which attachments the models read: some of `image`, `pdf` and `audio`, separated by commas, or `none`",
  },
  LLM_FIRST_TOKEN_TIMEOUT_S: {
    scope: "product",
    value: { ...SILENCE, fallback: 60 },
    description: "Seconds to the first token of a model's answer",
  },
  LLM_SILENCE_TIMEOUT_S: {
    scope: "product",
    value: { ...SILENCE, fallback: 120 },
    description: "Seconds between two tokens of a model's answer",
  },
  PLANNER_MODEL: {
    scope: "product",
    value: TEXT,
    unset: "the main model",
    description: "The model of the agent `planner` and of agents that name it",
  },
  LIGHT_MODEL: { scope: "product", value: TEXT, unset: "the main model", description: "The model of compaction" },
  EMBEDDING_MODEL: {
    scope: "product",
    value: TEXT,
    unset: "none",
    description:
      "Embedding model for vector search, in addition to full-text search. A model of `openai`, `google`, `bedrock` or `openai-compatible`",
  },
  REACTIVE_COMPACT_ENABLED: {
    scope: "product",
    value: { kind: "flag", fallback: true },
    description: "Compact a conversation that the model refuses as too long, and retry once",
  },
  CACHE_HIT_MONITOR_ENABLED: {
    scope: "product",
    value: { kind: "flag", fallback: false },
    description: "Log the calls that missed the provider's cache, with the reason",
  },
  ENGINE_LOG_LEVEL: {
    scope: "product",
    value: { kind: "choice", values: ENGINE_LOG_LEVELS, fallback: "INFO" },
    description: "The engines' log level. `DEBUG` adds model parameters and context assembly",
  },
  ENGINE_KEEP_REQUESTS: {
    scope: "product",
    value: { kind: "flag", fallback: true },
    description: "Keep the requests to models for 24 hours, as they were sent, without keys",
  },
  ENGINE_HITL_TTL_S: {
    scope: "product",
    value: { kind: "integer", min: 1, max: 2_000_000, fallback: null },
    unset: "no limit",
    description: "Seconds a person has to answer before it counts as a no",
  },
  ORCH_CODE_MAX_TOOL_USE_CONCURRENCY: {
    scope: "operator",
    value: { kind: "integer", min: 1, max: 1000, fallback: 10 },
    description: "Tools that run at the same time in one turn",
  },
} as const satisfies Record<string, SettingRow>;
