import { ENGINE_ERRORS } from "./errors.ts";
import { MODEL_CHANGE_REASONS } from "./models.ts";
import { ENGINE_TOOLS } from "./tool-names.ts";
import { PROVIDERS } from "../settings/settings.ts";

/** Bounds in seconds of calls to models and tools, and of turns, which can wait for a person. */
const CALL_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;
const TURN_BUCKETS_S = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600] as const;

/** Why a model call failed. */
const MODEL_FAILURES = ["rate_limited", "transient", "too_long", "permanent", "over_budget"] as const;
/** The label of a tool: those of every engine by their name, others by where they come from. */
export const TOOL_LABELS = [
  ...(Object.keys(ENGINE_TOOLS) as (keyof typeof ENGINE_TOOLS)[]),
  "catalog",
  "mcp",
  "unknown",
] as const;
export type ToolLabel = (typeof TOOL_LABELS)[number];

/** Why a tool call was refused, and why one failed. */
const TOOL_REFUSALS = ["denied", "expired", "invalid_input", "outcome_unknown", "unknown_tool"] as const;
export type ToolRefusal = (typeof TOOL_REFUSALS)[number];
const TOOL_FAILURES = ["internal_error", "timeout", "tool_error"] as const;
export type ToolFailure = (typeof TOOL_FAILURES)[number];

const PURPOSES = ["turn", "summary", "learning", "title"] as const;

/** A label's values. `name`: a name from a product's settings, bounded in length and number. */
type LabelValues = readonly string[] | "name";

export interface EngineMetricRow {
  readonly kind: "counter" | "histogram";
  /** Markdown without a full stop, with links as from docs/. */
  readonly help: string;
  readonly labels: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram in seconds, without infinity. */
  readonly buckets?: readonly number[];
}

const MODEL = { provider: PROVIDERS, model: "name" } as const;

/** The metrics of engines. The daemon sums them by product. Label values outside these lists become `other`. */
export const ENGINE_METRICS = {
  orch_turns_total: {
    kind: "counter",
    help: "Turns that ended; the reason is the [error code](engine-api.md#errors) or `none`",
    labels: { outcome: ["completed", "errored"], reason: ["none", ...Object.keys(ENGINE_ERRORS)] },
  },
  orch_turn_seconds: {
    kind: "histogram",
    help: "Duration of turns, the time in which they waited for a person included",
    labels: { outcome: ["completed", "errored"] },
    buckets: TURN_BUCKETS_S,
  },
  orch_model_calls_total: {
    kind: "counter",
    help: "Model calls that ended, their retries included",
    labels: {
      ...MODEL,
      purpose: PURPOSES,
      outcome: ["completed", "failed", "aborted"],
      reason: ["none", ...MODEL_FAILURES],
    },
  },
  orch_model_retries_total: {
    kind: "counter",
    help: "Failed tries of model calls that were made again",
    labels: { ...MODEL, reason: MODEL_FAILURES },
  },
  orch_model_changes_total: {
    kind: "counter",
    help: "Turns that went on with another model than this one, because it failed or had failed a short time before",
    labels: { ...MODEL, reason: MODEL_CHANGE_REASONS },
  },
  orch_model_tokens_total: {
    kind: "counter",
    help: "Tokens as the provider reports them: `input` (which includes `cached`), `output` and `cached`",
    labels: { ...MODEL, purpose: PURPOSES, kind: ["input", "output", "cached"] },
  },
  orch_model_first_token_seconds: {
    kind: "histogram",
    help: "Time from a model call to the first part of its answer",
    labels: MODEL,
    buckets: CALL_BUCKETS_S,
  },
  orch_model_call_seconds: {
    kind: "histogram",
    help: "Duration of model calls",
    labels: MODEL,
    buckets: CALL_BUCKETS_S,
  },
  orch_tool_calls_total: {
    kind: "counter",
    help: "Tool calls that ended, or were refused; tools of the catalog are `catalog`, of tool servers `mcp`",
    labels: {
      tool: TOOL_LABELS,
      outcome: ["completed", "failed", "refused", "aborted"],
      reason: ["none", ...TOOL_FAILURES, ...TOOL_REFUSALS],
    },
  },
  orch_tool_call_seconds: {
    kind: "histogram",
    help: "Duration of tool calls",
    labels: { tool: TOOL_LABELS },
    buckets: CALL_BUCKETS_S,
  },
  orch_spans_total: {
    kind: "counter",
    help: "[trace](operating.md#traces) spans of engines: `exported` or `dropped`",
    labels: { outcome: ["exported", "dropped"] },
  },
} as const satisfies Record<string, EngineMetricRow>;

export type EngineMetricName = keyof typeof ENGINE_METRICS;
export type LabelsOf<Name extends EngineMetricName> = Readonly<
  Record<keyof (typeof ENGINE_METRICS)[Name]["labels"] & string, string>
>;

/** The last read counters of one incarnation, by metric and labels. */
export interface CountedEngine {
  readonly revision: number;
  readonly values: ReadonlyMap<string, readonly number[]>;
}

/** Bounds of one engine's report. */
export const ENGINE_METRIC_LIMITS = { samples: 300, models: 10, nameLength: 64 } as const;
export const OTHER = "other";
