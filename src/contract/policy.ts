import { type Budgets, NO_BUDGETS } from "./budgets.ts";
import { ATTACHMENT_KINDS, type AttachmentKind, DEFAULT_ATTACHMENT_LIMITS } from "./attachment-records.ts";

export const POLICY_ACTIONS = ["provision", "start", "stop", "rotate_key", "destroy", "auto_provision"] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

/** A product's policy as it is stored and shown, without `engine_env`. */
export interface Policy {
  /** Engines not destroyed; `null` is no limit. */
  readonly max_engines: number | null;
  /** `null` is no limit. */
  readonly requests_per_minute: number | null;
  readonly allowed_actions: readonly PolicyAction[];
  readonly suspended: boolean;
  /** Seconds without work after which an engine is put to sleep; 0 is never. */
  readonly idle_stop_s: number;
  /** Seconds a stop waits for running turns. */
  readonly drain_s: number;
  readonly memory_mb: number;
  /** Processes and threads of one engine and its tools. */
  readonly max_processes: number;
  /** MiB of an engine's folder: workspace, store and caches. */
  readonly disk_mb: number;
  /** The engine's share of the CPU when it is scarce, as `cpu.weight` of cgroup v2. */
  readonly cpu_weight: number;
  readonly tool_network: ToolNetworkPolicy;
  /** TCP ports on loopback that tools may listen on and connect to. */
  readonly tool_listen: readonly number[];
  readonly budgets: Budgets;
  /** Attachments of one message, or of one tool result: MiB and number together, and their kinds. */
  readonly attachment_mb: number;
  readonly attachment_count: number;
  readonly attachment_kinds: readonly AttachmentKind[];
  /** Schedules and webhooks of one engine. */
  readonly max_schedules: number;
  /** The least number of seconds between two runs of a schedule. */
  readonly min_schedule_interval_s: number;
  /** No run of a schedule or webhook starts. */
  readonly schedules_paused: boolean;
}

/** The network access of tools: the public internet, none, or the listed hosts and networks. */
export type ToolNetworkPolicy = "open" | "none" | readonly string[];

export const DEFAULT_POLICY: Policy = {
  max_engines: 100,
  requests_per_minute: 600,
  allowed_actions: POLICY_ACTIONS,
  suspended: false,
  idle_stop_s: 300,
  drain_s: 30,
  memory_mb: 1024,
  max_processes: 256,
  disk_mb: 2048,
  cpu_weight: 100,
  tool_network: "open",
  tool_listen: [],
  budgets: NO_BUDGETS,
  attachment_mb: DEFAULT_ATTACHMENT_LIMITS.mb,
  attachment_count: DEFAULT_ATTACHMENT_LIMITS.count,
  attachment_kinds: ATTACHMENT_KINDS,
  max_schedules: 20,
  min_schedule_interval_s: 60,
  schedules_paused: false,
};
