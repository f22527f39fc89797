import { createHash } from "node:crypto";
import type { ToolOutcome } from "../model/model-provider.ts";
import type { LoggedCall } from "./step-log.ts";

const HINT_AT = 3;
const STOP_AT = 5;

export const LOOP_HINT =
  "\n\n[This call has given this result several times now. Try something else, or answer without it.]";

/** Detects repeated identical tool calls with identical results within a turn. */
export class LoopGuard {
  /** Answers per call, and the last step: identical calls within one answer are a batch and count once. */
  readonly #seen = new Map<string, { readonly answers: number; readonly step: number }>();

  /** `earlier`: calls that the turn made before a restart count too. */
  constructor(earlier: readonly LoggedCall[] = []) {
    for (const call of earlier) if (call.progress.kind === "finished") this.judge(call, call.progress.outcome);
  }

  /** `hint` from the third answer on, `stop` at the fifth. */
  judge(call: LoggedCall, outcome: ToolOutcome): "continue" | "hint" | "stop" {
    const key = createHash("sha256")
      .update(JSON.stringify([call.tool, canonical(call.input ?? call.rawInput), outcome.output]))
      .digest("base64");
    const { answers: before, step } = this.#seen.get(key) ?? { answers: 0, step: 0 };
    const answers = step === call.step ? before : before + 1;
    this.#seen.set(key, { answers, step: call.step });
    return answers >= STOP_AT ? "stop" : answers >= HINT_AT ? "hint" : "continue";
  }
}

/** Normalises the order of object keys. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return entries.map(([key, inner]) => [key, canonical(inner)]);
}
