import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";

/** How a model failed. */
const COOLDOWN_REASONS = ["rate_limited", "overloaded", "server_error", "timeout", "connection"] as const;
export type CooldownReason = (typeof COOLDOWN_REASONS)[number];
/** Why another model answers. `cooldown`: the model failed for another step, turn or engine a short time before. */
export const MODEL_CHANGE_REASONS = [...COOLDOWN_REASONS, "cooldown"] as const;

/** Cooldowns of one engine at most, and the longest one. */
export const COOLDOWN_LIMITS = { models: 100, longestMs: 600_000 } as const;

const name = z.string().check(z.minLength(1), z.maxLength(256));

export const modelCooldown = record("ModelCooldown", "A model that failed a short time ago.", {
  model: field(name, "`provider:model`; without a provider, of the engine's `LLM_PROVIDER`.", "claude-sonnet-5-5"),
  reason: field(z.enum(COOLDOWN_REASONS), "How it failed.", "overloaded"),
  for_ms: field(z.int().check(z.gte(0), z.lte(COOLDOWN_LIMITS.longestMs)), "Until it may be called again."),
});
export type ModelCooldown = RecordOf<typeof modelCooldown>;

export const modelCooldowns = z.array(modelCooldown).check(z.maxLength(COOLDOWN_LIMITS.models));

/** The longest lists of a policy and of cooldowns. */
export const MAX_MODELS_BYTES = 128 * 1024;

/** What a product's policy says of models. */
export const modelRules = {
  allowed: nullable(z.array(name), "The policy's `allowed_models`."),
  fallback: field(z.array(name), "The policy's `fallback`."),
};
export type ModelRules = RecordOf<z.ZodMiniObject<typeof modelRules>>;

export const NO_MODEL_RULES: ModelRules = { allowed: null, fallback: [] };
