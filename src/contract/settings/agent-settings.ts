import { type SettingRow, TEXT } from "./setting-row.ts";

export const PROVIDERS = ["anthropic", "openai", "google", "bedrock", "openai-compatible", "sandbox"] as const;
export const ENGINE_LOG_LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"] as const;
export const TITLES = ["model", "words", "off"] as const;
/** The HTTP client gives up by itself after five minutes of silence. */
const SILENCE = { kind: "integer", min: 1, max: 290 } as const;

/** Settings of engines: the model and the agent loop. */
export const AGENT_SETTINGS = {
  LLM_PROVIDER: {
    scope: "product",
    value: { kind: "choice", values: PROVIDERS, fallback: null },
    unset: "`sandbox`, with a key `anthropic`",
    description: "The provider of the models. `sandbox` needs none: it answers by a script",
  },
  LLM_API_KEY: {
    scope: "product",
    value: TEXT,
    secret: true,
    description: "The provider's key. For `bedrock` also an AWS access key: `ID:SECRET` or `ID:SECRET:TOKEN`",
  },
  LLM_MODEL: { scope: "product", value: TEXT, unset: "the provider's", description: "The main model" },
  LLM_BASE_URL: {
    scope: "product",
    value: TEXT,
    unset: "the provider's",
    description: "Another address with the provider's protocol, written as the provider's SDK expects it",
  },
  LLM_REGION: { scope: "product", value: TEXT, description: "The region of `bedrock`, such as `us-east-1`" },
  LLM_REQUESTS_PER_MINUTE: {
    scope: "product",
    value: { kind: "integer", min: 10, max: 1_000_000, fallback: null },
    unset: "no limit",
    description:
      "Model calls in a minute with [one key](secrets.md#limits-of-a-key), of all its engines together. The broker holds it",
  },
  LLM_CONTEXT_WINDOW: {
    scope: "product",
    value: { kind: "integer", min: 4000, max: 100_000_000, fallback: null },
    unset: "of the model if known, else 128000",
    description: "Context window in tokens",
  },
  LLM_ATTACHMENTS: {
    scope: "product",
    value: TEXT,
    unset: "by the model's name",
    description:
      "Which [attachments](attachments.md#what-a-model-is-shown) the models read: some of `image`, `pdf` and `audio`, separated by commas, or `none`",
  },
  LLM_FIRST_TOKEN_TIMEOUT_S: {
    scope: "product",
    value: { ...SILENCE, fallback: 60 },
    description: "Seconds until the model's first output",
  },
  LLM_SILENCE_TIMEOUT_S: {
    scope: "product",
    value: { ...SILENCE, fallback: 120 },
    description: "Seconds without output within an answer",
  },
  PLANNER_MODEL: {
    scope: "product",
    value: TEXT,
    unset: "the main model",
    description: "The model of the agent `planner`, and of agents with `model: planner`",
  },
  LIGHT_MODEL: {
    scope: "product",
    value: TEXT,
    unset: "the main model",
    description: "The model for compaction, learning and titles, and of agents with `model: light`",
  },
  ENGINE_EMBEDDINGS_URL: {
    scope: "product",
    value: TEXT,
    unset: "none",
    description:
      "The address of an [embeddings](memory.md#embeddings) endpoint for the search in memories and [documents](knowledge.md#embeddings), as OpenAI and others have it, without `/embeddings`: `http://127.0.0.1:11434/v1`",
  },
  ENGINE_EMBEDDINGS_MODEL: { scope: "product", value: TEXT, unset: "none", description: "Its model" },
  ENGINE_EMBEDDINGS_KEY: { scope: "product", value: TEXT, secret: true, unset: "none", description: "Its key" },
  ENGINE_WORD_VECTORS: {
    scope: "operator",
    value: TEXT,
    unset: "English",
    description:
      "The folder of [related words](memory.md#related-words) for the search in memories, or `none`. Only for the daemon; not in `engine_env`",
  },
  REACTIVE_COMPACT_ENABLED: {
    scope: "product",
    value: { kind: "flag", fallback: true },
    description: "Compact a conversation that the model refuses as too long, and send it once more",
  },
  CACHE_HIT_MONITOR_ENABLED: {
    scope: "product",
    value: { kind: "flag", fallback: false },
    description: "Log the calls that missed the provider's prompt cache, and why",
  },
  ENGINE_LOG_LEVEL: {
    scope: "product",
    value: { kind: "choice", values: ENGINE_LOG_LEVELS, fallback: "INFO" },
    description: "The least severe lines that an engine logs",
  },
  ENGINE_KEEP_REQUESTS: {
    scope: "product",
    value: { kind: "flag", fallback: true },
    description: "Keep the [requests to the model](engine-api.md#requests-to-the-model) for 24 hours, without keys",
  },
  ENGINE_TITLES: {
    scope: "product",
    value: { kind: "choice", values: TITLES, fallback: "words" },
    description:
      "Titles of [tasks](conversations.md#tasks): first words only (`words`), bettered once by the light model (`model`), or none (`off`)",
  },
  ENGINE_TOOLS_SHARE: {
    scope: "product",
    value: { kind: "integer", min: 1, max: 50, fallback: 10 },
    description:
      "Per cent of the context window for definitions of tools. Those beyond are loaded by [tool search](conversations.md#tool-search)",
  },
  ENGINE_HITL_TTL_S: {
    scope: "product",
    value: { kind: "integer", min: 1, max: 2_000_000, fallback: null },
    unset: "no limit",
    description:
      "Seconds until an unanswered question counts as denied, and an unanswered call of a client's tool as failed",
  },
  ORCH_CODE_MAX_TOOL_USE_CONCURRENCY: {
    scope: "operator",
    value: { kind: "integer", min: 1, max: 1000, fallback: 10 },
    description: "Tool calls of a turn that run in parallel. Only for the daemon; not in `engine_env`",
  },
} as const satisfies Record<string, SettingRow>;
