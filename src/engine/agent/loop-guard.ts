import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { sortedKeys } from "../../shared/json-values.ts";
import type { ToolOutcome } from "../model/model-provider.ts";
import type { LoggedCall } from "./step-log.ts";

const HINT_AT = 3;
const STOP_AT = 5;

export const LOOP_HINT =
  "\n\n[This call returned the same result several times. Try something else, or answer without it.]";

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
    const key = sha256(JSON.stringify([call.tool, sortedKeys(call.input ?? call.rawInput), outcome.output]));
    const { answers: before, step } = this.#seen.get(key) ?? { answers: 0, step: 0 };
    const answers = step === call.step ? before : before + 1;
    this.#seen.set(key, { answers, step: call.step });
    return answers >= STOP_AT ? "stop" : answers >= HINT_AT ? "hint" : "continue";
  }
}
