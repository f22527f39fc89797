import { ATTACHMENT_KINDS, DEFAULT_ATTACHMENT_LIMITS, MAX_ATTACHMENTS } from "../engine/attachment-limits.ts";
import { WHEN_BUSY } from "../engine/when-busy.ts";
import { DEFAULT_CHECKPOINT_MB } from "../engine/checkpoint-limits.ts";
import { MAX_FALLBACK } from "../engine/model-choice.ts";
import { ACCESS_FIELDS } from "./access-fields.ts";
import { NO_BUDGETS } from "./budgets.ts";
import type { PolicyValue } from "./policy-value.ts";

export interface PolicyField {
  readonly value: PolicyValue;
  readonly default: unknown;
  readonly section: PolicySection;
  readonly label: string;
  /** Markdown, with links as from docs/. Bounds, values and what `null` means are added where it is shown. */
  readonly meaning: string;
  readonly unit?: "s" | "MiB";
  readonly takesEffect: "at once" | "next start";
  /** The option of `orchctl`; a switch has one for each value. Left out: its options do more than set this field. */
  readonly option?: string | { readonly on: string; readonly off: string };
}

/** The groups of the console's form, in its order. */
export const POLICY_SECTIONS = {
  access: "Access",
  life: "Life of an engine",
  resources: "Resources of an engine",
  models: "Models",
  tools: "Agents and tools",
  attachments: "Attachments of a message",
  budgets: "Budgets",
  schedules: "Schedules of an engine",
} as const;
type PolicySection = keyof typeof POLICY_SECTIONS;

/**
 * The fields of a policy. Its type, default, checks, options of `orchctl`, form in the console, OpenAPI and documentation
 * follow from these rows.
 */
export const POLICY_FIELDS = {
  ...ACCESS_FIELDS,
  when_busy: {
    value: { kind: "choice", values: WHEN_BUSY },
    default: "reject",
    section: "life",
    label: "Message to a busy task",
    meaning:
      "What happens to a [message](conversations.md#queue-and-steer) whose task has a turn, unless the call says it: `reject`, `queue` or `steer`.",
    takesEffect: "next start",
    option: "--when-busy <what>",
  },
  idle_stop_s: {
    value: { kind: "integer", min: 0 },
    default: 300,
    unit: "s",
    section: "life",
    label: "Sleep after",
    meaning: "Seconds without work after which an engine sleeps. 0 is never.",
    takesEffect: "at once",
    option: "--idle-stop <time>",
  },
  drain_s: {
    value: { kind: "integer", min: 0, max: 86_400 },
    default: 30,
    unit: "s",
    section: "life",
    label: "Stop waits",
    meaning: "Seconds that a stop waits for running turns.",
    takesEffect: "at once",
    option: "--drain <time>",
  },
  task_ttl_days: {
    value: { kind: "integer", min: 1, max: 36_500, isNullable: true },
    default: null,
    section: "life",
    label: "Days of a task",
    meaning:
      "Days without activity after which a [task](conversations.md#delete-a-task) is deleted with its messages. A sleeping engine does it after its next wake.",
    takesEffect: "next start",
    option: "--task-ttl-days <n>",
  },
  memory_mb: {
    value: { kind: "integer", min: 64, max: 1_048_576 },
    default: 1024,
    unit: "MiB",
    section: "resources",
    label: "Memory",
    meaning:
      "Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters.",
    takesEffect: "next start",
    option: "--memory <mb>",
  },
  max_processes: {
    value: { kind: "integer", min: 1, max: 32_768 },
    default: 256,
    section: "resources",
    label: "Processes",
    meaning: "Processes and threads of all tools of an engine. The engine has 64 of its own.",
    takesEffect: "next start",
    option: "--max-processes <n>",
  },
  disk_mb: {
    value: { kind: "integer", min: 16, max: 1_048_576 },
    default: 2048,
    unit: "MiB",
    section: "resources",
    label: "Disk",
    meaning: "Size of an engine's folder, which holds workspace, store and caches.",
    takesEffect: "next start",
    option: "--disk <mb>",
  },
  checkpoint_mb: {
    value: { kind: "integer", min: 0, max: 1_048_576 },
    default: DEFAULT_CHECKPOINT_MB,
    unit: "MiB",
    section: "resources",
    label: "File checkpoints",
    meaning:
      "Size of the file contents that are kept for [rewinds](conversations.md#fork-and-rewind), at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none.",
    takesEffect: "next start",
    option: "--checkpoint-mb <mb>",
  },
  cpu_weight: {
    value: { kind: "integer", min: 1, max: 10_000 },
    default: 100,
    section: "resources",
    label: "CPU weight",
    meaning: "An engine's share of a busy CPU, as `cpu.weight` of cgroup v2.",
    takesEffect: "next start",
    option: "--cpu-weight <n>",
  },
  allowed_models: {
    value: { kind: "models", maxModels: 100, isNullable: true },
    default: null,
    section: "models",
    label: "Allowed models",
    meaning:
      "The [models](conversations.md#which-model-answers) that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it.",
    takesEffect: "at once",
    option: "--allowed-models <models>",
  },
  fallback: {
    value: { kind: "models", maxModels: MAX_FALLBACK },
    default: [],
    section: "models",
    label: "Fallback models",
    meaning:
      "The models that answer instead of one that [fails](conversations.md#which-model-answers), in order. An agent of the catalog may have its own list.",
    takesEffect: "at once",
    option: "--fallback <models>",
  },
  allowed_agents: {
    value: { kind: "list", of: "agents", max: 200, isNullable: true },
    default: null,
    section: "tools",
    label: "Allowed agents",
    meaning:
      "The [agents](catalog.md#allowed-agents-and-tools) of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it.",
    takesEffect: "at once",
    option: "--allowed-agents <agents>",
  },
  allowed_tools: {
    value: { kind: "list", of: "tools", max: 200, isNullable: true },
    default: null,
    section: "tools",
    label: "Allowed tools",
    meaning:
      "The [tools](catalog.md#allowed-agents-and-tools) that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so.",
    takesEffect: "at once",
    option: "--allowed-tools <tools>",
  },
  tool_network: {
    value: { kind: "network", minHosts: 1, maxHosts: 256 },
    default: "open",
    section: "tools",
    label: "Network of tools",
    meaning:
      "What [tools may connect to](catalog.md#network-of-tools): `open` (the public internet), `none`, or a list of hosts and networks.",
    takesEffect: "next start",
    option: "--tool-network <hosts>",
  },
  tool_listen: {
    value: { kind: "ports", min: 1024, max: 65_535, maxPorts: 16 },
    default: [],
    section: "tools",
    label: "Ports of tools",
    // Privileged ports are the host's.
    meaning: "TCP ports on loopback that tools may listen on and connect to.",
    takesEffect: "next start",
    option: "--tool-listen <ports>",
  },
  intercept: {
    value: { kind: "switch" },
    default: false,
    section: "tools",
    label: "Secrets in encrypted requests",
    meaning:
      "Whether encrypted requests of tools to hosts of [secrets](secrets.md#interception) end in the broker, which puts values in the place of placeholders.",
    takesEffect: "next start",
    option: { on: "--intercept", off: "--no-intercept" },
  },
  tool_hook: {
    value: { kind: "tool_hook" },
    default: null,
    section: "tools",
    label: "Hook on tools",
    meaning:
      "The product's own address that [decides about calls of tools](catalog.md#hook-of-the-product) before they run.",
    takesEffect: "at once",
  },
  attachment_mb: {
    value: { kind: "integer", min: 0, max: MAX_ATTACHMENTS.mb },
    default: DEFAULT_ATTACHMENT_LIMITS.mb,
    unit: "MiB",
    section: "attachments",
    label: "Size of attachments",
    meaning: "Size of all [attachments](attachments.md) of one message, or of one tool result. 0 allows none.",
    takesEffect: "next start",
    option: "--attachment-mb <mb>",
  },
  attachment_count: {
    value: { kind: "integer", min: 0, max: MAX_ATTACHMENTS.count },
    default: DEFAULT_ATTACHMENT_LIMITS.count,
    section: "attachments",
    label: "Number of attachments",
    meaning: "Attachments of one message, or of one tool result.",
    takesEffect: "next start",
    option: "--attachment-count <n>",
  },
  attachment_kinds: {
    value: { kind: "choices", values: ATTACHMENT_KINDS },
    default: ATTACHMENT_KINDS,
    section: "attachments",
    label: "Kinds of attachments",
    meaning: "Kinds of files that may be attached, decided by their bytes.",
    takesEffect: "next start",
    option: "--attachment-kinds <kinds>",
  },
  budgets: {
    value: { kind: "budgets" },
    default: NO_BUDGETS,
    section: "budgets",
    label: "Budgets",
    meaning: "What [each engine and all together](operating.md#budgets) may spend in a UTC day and month.",
    takesEffect: "at once",
  },
  max_schedules: {
    value: { kind: "integer", min: 0, max: 10_000 },
    default: 20,
    section: "schedules",
    label: "Schedules and webhooks",
    meaning: "[Schedules and webhooks](schedules.md) of one engine.",
    takesEffect: "at once",
    option: "--max-schedules <n>",
  },
  min_schedule_interval_s: {
    value: { kind: "integer", min: 1, max: 86_400 },
    default: 60,
    unit: "s",
    section: "schedules",
    label: "Least interval",
    meaning: "Least seconds between two runs of a schedule.",
    takesEffect: "at once",
    option: "--min-schedule-interval <time>",
  },
  schedules_paused: {
    value: { kind: "switch" },
    default: false,
    section: "schedules",
    label: "Schedules paused",
    meaning: "No run of a schedule or webhook starts.",
    takesEffect: "at once",
    option: { on: "--pause-schedules", off: "--resume-schedules" },
  },
} as const satisfies Readonly<Record<string, PolicyField>>;

export type PolicyFieldName = keyof typeof POLICY_FIELDS;
