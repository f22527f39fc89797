import { createHash } from "node:crypto";
import type { ToolOutcome } from "../model/model-provider.ts";
import type { RequestedCall } from "./model-answer.ts";
import type { LoggedCall } from "./step-log.ts";

const HINT_AT = 3;
const STOP_AT = 5;

export const LOOP_HINT =
  "\n\n[This call has given this result several times now. Try something else, or answer without it.]";

/** Notices the same call giving the same result again and again within a turn. */
export class LoopGuard {
  readonly #seen = new Map<string, number>();

  /** `earlier`: what the turn did before the engine restarted counts. */
  constructor(earlier: readonly LoggedCall[] = []) {
    for (const call of earlier) if (call.progress.kind === "finished") this.judge(call, call.progress.outcome);
  }

  /** `hint` from the third time on, `stop` at the fifth. */
  judge(call: RequestedCall, outcome: ToolOutcome): "fine" | "hint" | "stop" {
    const key = createHash("sha256")
      .update(JSON.stringify([call.tool, canonical(call.input ?? call.rawInput), outcome.output]))
      .digest("base64");
    const count = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, count);
    return count >= STOP_AT ? "stop" : count >= HINT_AT ? "hint" : "fine";
  }
}

/** The same value whatever the order of its keys. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return entries.map(([key, inner]) => [key, canonical(inner)]);
}
