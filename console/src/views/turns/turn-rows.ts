import type { ModelRequestSummary } from "@orchd/client";
import type { Step } from "../../live/turn-steps.ts";

/** A line of the waterfall. `key` is also in the address: a link leads to it. */
export interface TurnRow {
  readonly key: string;
  readonly kind: Step["kind"] | "model";
  readonly label: string;
  readonly note: string;
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly failed: boolean;
  readonly step?: Step;
  readonly call?: ModelRequestSummary;
}

const NOTE_LENGTH = 160;

/** Model calls and what came of them, by time. */
export function rowsOf(steps: readonly Step[], calls: readonly ModelRequestSummary[]): readonly TurnRow[] {
  const rows = [...calls.map(rowOfCall), ...steps.map(rowOfStep)];
  return rows.sort((left, right) => left.fromMs - right.fromMs);
}

function rowOfCall(call: ModelRequestSummary): TurnRow {
  const { number, model, started_at, duration_ms, usage, cache_share: cached, outcome, reason, agent } = call;
  const fromMs = Date.parse(started_at);
  const tokens = usage === null ? reason : `${usage.input_tokens.toLocaleString("en")} → ${usage.output_tokens} tokens`;
  const share = cached === null ? "" : `, ${Math.round(cached * 100)} % cached`;
  return {
    key: `call-${number}`,
    kind: "model",
    label: `${call.purpose === "summary" ? "Summary by" : "Model"} ${model}`,
    note: `${agent === "default" ? "" : `${agent}: `}${tokens}${share}`,
    fromMs,
    toMs: fromMs + duration_ms,
    failed: outcome !== "completed",
    call,
  };
}

function rowOfStep(step: Step): TurnRow {
  const { seq, fromMs, toMs, kind } = step;
  const shared = { key: String(seq), kind, fromMs, toMs, step, failed: kind === "error" };
  switch (step.kind) {
    case "text":
      return { ...shared, label: "Answer", note: short(step.text) };
    case "thinking":
      return { ...shared, label: "Thinking", note: short(step.text) };
    case "tool":
      return {
        ...shared,
        label: step.tool,
        note: short(step.error ?? JSON.stringify(step.input)),
        failed: step.error !== null,
      };
    case "question":
      return {
        ...shared,
        label: step.isPermission ? "Permission" : "Question",
        note: short(step.answer === null ? step.question : `${step.question} – ${step.answer}`),
      };
    case "error":
      return { ...shared, label: "Error", note: short(step.text) };
    case "said":
      return { ...shared, label: "Message", note: short(step.text) };
    case "note":
      return { ...shared, label: "Note", note: short(step.text) };
    case "compaction":
      return { ...shared, label: "Compaction", note: short(step.text) };
    default:
      return step satisfies never;
  }
}

const short = (text: string): string => text.slice(0, NOTE_LENGTH).replaceAll(/\s+/g, " ");
