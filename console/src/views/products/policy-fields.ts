import type { Policy } from "@orchd/client";

type Field = keyof Policy;

/** What a field of the form holds while it is edited. */
export type FieldInput = string | boolean | readonly string[];

interface FieldBase {
  readonly name: Field;
  readonly label: string;
  readonly hint: string;
}
export type PolicyField = FieldBase &
  (
    | {
        readonly kind: "number";
        readonly min: number;
        readonly max?: number;
        readonly unit?: string;
        readonly isNullable?: boolean;
      }
    | { readonly kind: "switch" }
    | { readonly kind: "choices"; readonly choices: readonly string[] }
    | { readonly kind: "network" }
    | { readonly kind: "ports" }
  );

interface Group {
  readonly title: string;
  readonly fields: readonly PolicyField[];
}

/** The form of a policy. Budgets have a view of their own. */
export const POLICY_GROUPS: readonly Group[] = [
  {
    title: "Access",
    fields: [
      { name: "suspended", label: "Suspended", hint: "Refuses every action of the product.", kind: "switch" },
      {
        name: "allowed_actions",
        label: "Allowed actions",
        hint: "What the product's backend may do.",
        kind: "choices",
        choices: ["provision", "start", "stop", "rotate_key", "destroy", "auto_provision"],
      },
      {
        name: "max_engines",
        label: "Engines",
        hint: "Those that are not destroyed. Empty is no limit.",
        kind: "number",
        min: 0,
        isNullable: true,
      },
      {
        name: "requests_per_minute",
        label: "Requests per minute",
        hint: "Empty is no limit.",
        kind: "number",
        min: 0,
        isNullable: true,
      },
    ],
  },
  {
    title: "Life of an engine",
    fields: [
      {
        name: "idle_stop_s",
        label: "Sleep after",
        hint: "Time without work. 0 is never.",
        kind: "number",
        min: 0,
        unit: "s",
      },
      {
        name: "drain_s",
        label: "Stop waits",
        hint: "For running turns, at most.",
        kind: "number",
        min: 0,
        max: 86_400,
        unit: "s",
      },
    ],
  },
  {
    title: "Resources of an engine",
    fields: [
      {
        name: "memory_mb",
        label: "Memory",
        hint: "64 to 1048576. From the next start.",
        kind: "number",
        min: 64,
        max: 1_048_576,
        unit: "MB",
      },
      {
        name: "disk_mb",
        label: "Disk",
        hint: "16 to 1048576: workspace, store and caches.",
        kind: "number",
        min: 16,
        max: 1_048_576,
        unit: "MB",
      },
      {
        name: "max_processes",
        label: "Processes",
        hint: "1 to 32768, threads included.",
        kind: "number",
        min: 1,
        max: 32_768,
      },
      {
        name: "cpu_weight",
        label: "CPU weight",
        hint: "1 to 10000: the share of a busy CPU.",
        kind: "number",
        min: 1,
        max: 10_000,
      },
    ],
  },
  {
    title: "Tools",
    fields: [
      {
        name: "tool_network",
        label: "Network",
        hint: "Hosts and networks, one a line, or the word open (the public internet) or none.",
        kind: "network",
      },
      { name: "tool_listen", label: "Ports", hint: "On loopback, 1024 to 65535, separated by commas.", kind: "ports" },
    ],
  },
  {
    title: "Attachments of a message",
    fields: [
      {
        name: "attachment_mb",
        label: "Size",
        hint: "0 to 50, all together. 0 allows none.",
        kind: "number",
        min: 0,
        max: 50,
        unit: "MB",
      },
      { name: "attachment_count", label: "Number", hint: "0 to 100.", kind: "number", min: 0, max: 100 },
      {
        name: "attachment_kinds",
        label: "Kinds",
        hint: "Decided by a file's bytes.",
        kind: "choices",
        choices: ["image", "pdf", "audio", "text", "other"],
      },
    ],
  },
  {
    title: "Schedules of an engine",
    fields: [
      { name: "schedules_paused", label: "Paused", hint: "Starts no run of a schedule or webhook.", kind: "switch" },
      {
        name: "max_schedules",
        label: "Schedules and webhooks",
        hint: "0 to 10000.",
        kind: "number",
        min: 0,
        max: 10_000,
      },
      {
        name: "min_schedule_interval_s",
        label: "Least interval",
        hint: "1 to 86400, between two runs.",
        kind: "number",
        min: 1,
        max: 86_400,
        unit: "s",
      },
    ],
  },
];

export function inputOf(field: PolicyField, policy: Policy): FieldInput {
  const value = policy[field.name];
  if (typeof value === "boolean") return value;
  if (field.kind === "choices") return Array.isArray(value) ? value.map(String) : [];
  if (Array.isArray(value)) return value.join(field.kind === "ports" ? ", " : "\n");
  return value === null ? "" : String(value);
}

type Read = { readonly value: Policy[Field] } | { readonly problem: string };

/** The value of an input, or what was expected. The daemon checks hosts and ports itself. */
export function readInput(field: PolicyField, input: FieldInput): Read {
  if (typeof input === "boolean" || typeof input === "object") return { value: input as Policy[Field] };
  const text = input.trim();
  switch (field.kind) {
    case "number":
      return readNumber(field, text);
    case "network":
      return { value: text === "open" || text === "none" ? text : text.split(/[\s,]+/).filter((host) => host !== "") };
    case "ports":
      return {
        value: text
          .split(/[\s,]+/)
          .filter((port) => port !== "")
          .map(Number),
      };
    default:
      return { value: text as Policy[Field] };
  }
}

function readNumber({ min, max, isNullable }: Extract<PolicyField, { kind: "number" }>, text: string): Read {
  if (text === "" && isNullable === true) return { value: null };
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)) return { value };
  return {
    problem: `expected a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}${isNullable === true ? " or nothing" : ""}`,
  };
}
