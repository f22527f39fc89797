import { type SettingRow, TEXT } from "./setting-row.ts";

const key = { scope: "product", value: TEXT, secret: true } as const;
const address = { scope: "product", value: TEXT, unset: "the provider's" } as const;

/**
 * Settings of providers beside `LLM_PROVIDER`, for models that are named `provider:model`. Those of `LLM_PROVIDER` itself
 * are `LLM_API_KEY` and `LLM_BASE_URL`.
 */
export const PROVIDER_SETTINGS = {
  LLM_ANTHROPIC_API_KEY: { ...key, description: "The key for models named `anthropic:…`" },
  LLM_ANTHROPIC_BASE_URL: { ...address, description: "The address for models named `anthropic:…`" },
  LLM_OPENAI_API_KEY: { ...key, description: "The key for models named `openai:…`" },
  LLM_OPENAI_BASE_URL: { ...address, description: "The address for models named `openai:…`" },
  LLM_GOOGLE_API_KEY: { ...key, description: "The key for models named `google:…`" },
  LLM_GOOGLE_BASE_URL: { ...address, description: "The address for models named `google:…`" },
  LLM_BEDROCK_API_KEY: {
    ...key,
    description: "The key for models named `bedrock:…`, as in `LLM_API_KEY`. The region is `LLM_REGION`",
  },
  LLM_BEDROCK_BASE_URL: { ...address, description: "The address for models named `bedrock:…`" },
  LLM_OPENAI_COMPATIBLE_API_KEY: { ...key, description: "The key for models named `openai-compatible:…`" },
  LLM_OPENAI_COMPATIBLE_BASE_URL: {
    ...address,
    unset: "none",
    description: "The address for models named `openai-compatible:…`, which need one",
  },
} as const satisfies Record<string, SettingRow>;
