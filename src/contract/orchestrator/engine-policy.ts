import type { Budgets } from "./budgets.ts";
import type { Policy } from "./policy.ts";
import type { PolicyFieldName } from "./policy-fields.ts";

/** The fields of a policy that plans and single engines may set. Of the budgets they have `engine` and `warn_at`. */
export const ENGINE_POLICY_FIELDS = [
  "user_requests_per_minute",
  "user_concurrent_turns",
  "when_busy",
  "idle_stop_s",
  "task_ttl_days",
  "memory_mb",
  "max_processes",
  "disk_mb",
  "checkpoint_mb",
  "cpu_weight",
  "allowed_models",
  "fallback",
  "allowed_agents",
  "allowed_tools",
  "tool_network",
  "attachment_mb",
  "attachment_count",
  "attachment_kinds",
  "budgets",
  "max_schedules",
  "min_schedule_interval_s",
] as const satisfies readonly PolicyFieldName[];
export type EnginePolicyField = (typeof ENGINE_POLICY_FIELDS)[number];

/** What a plan or an engine sets. A field left out is decided by the layer below: the plan, then the product's policy. */
export type PolicyLayer = { readonly [Name in Exclude<EnginePolicyField, "budgets">]?: Policy[Name] | undefined } & {
  readonly budgets?: { readonly engine: Budgets["engine"]; readonly warn_at?: number | undefined } | undefined;
};

/** What decides about one engine, before the product's policy. */
export interface EngineLayers {
  readonly plan: string | null;
  readonly own: PolicyLayer;
  /** Grows with each change. */
  readonly changes: number;
}

export const NO_LAYERS: EngineLayers = { plan: null, own: {}, changes: 0 };

/** Where the value of a field comes from. `default`: the product's policy has the default. */
export const POLICY_ORIGINS = ["engine", "plan", "product", "default"] as const;
export type PolicyOrigin = (typeof POLICY_ORIGINS)[number];

/** Plans of one product. They are a label of metrics. */
export const MAX_PLANS = 100;
