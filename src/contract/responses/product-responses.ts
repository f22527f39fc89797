import * as z from "zod/mini";
import { ATTACHMENT_KINDS } from "../attachment-records.ts";
import type { ProductRecord } from "../orchestrator-records.ts";
import { POLICY_ACTIONS, type Policy } from "../policy.ts";
import { count, text, textOrNull, time } from "../response-schemas.ts";

const limit = z.nullable(count);

const units = z.optional(z.number().check(z.gte(0)));
const budgetLimits = z.object({
  tokens_per_day: z.optional(count),
  tokens_per_month: z.optional(count),
  cost_per_day: units,
  cost_per_month: units,
});

const policy = z.object({
  max_engines: limit,
  requests_per_minute: limit,
  allowed_actions: z.array(z.enum(POLICY_ACTIONS)),
  suspended: z.boolean(),
  idle_stop_s: count,
  drain_s: count,
  memory_mb: count,
  max_processes: count,
  disk_mb: count,
  cpu_weight: count,
  tool_network: z.union([z.enum(["open", "none"]), z.array(text)]),
  tool_listen: z.array(count),
  budgets: z.object({ engine: budgetLimits, product: budgetLimits, warn_at: z.number() }),
  attachment_mb: count,
  attachment_count: count,
  attachment_kinds: z.array(z.enum(ATTACHMENT_KINDS)),
  max_schedules: count,
  min_schedule_interval_s: count,
  schedules_paused: z.boolean(),
}) satisfies z.ZodMiniType<Policy>;

export const productRecord = z.object({
  id: text,
  slug: text,
  name: textOrNull,
  policy,
  engine_env_names: z.array(text),
  engine_env_values: z.record(text, text),
  platform_key: z.object({ prefix: textOrNull, last4: textOrNull, created_at: time }),
  created_at: time,
  updated_at: time,
}) satisfies z.ZodMiniType<ProductRecord>;
