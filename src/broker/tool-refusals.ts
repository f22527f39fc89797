import type { ToolCallOutcome } from "../contract/broker/broker-order.ts";
import { EgressRefused } from "../sandbox/proxy.ts";
import { DaemonAway, QuestionRefused } from "./ask-daemon.ts";
import { TooManyQuestions } from "./fair-questions.ts";
import { Misused, NoSecret } from "./fill-request.ts";
import { Refusal } from "./outgoing.ts";

export const RETRY_SOON = { "retry-after": "1" };

interface Refused {
  readonly outcome: ToolCallOutcome;
  /** Null for what is a failure of the host, or of this process. */
  readonly refusal: Refusal | null;
}

const FORBIDDEN = [
  [Misused, "misused"],
  [NoSecret, "missing"],
  [EgressRefused, "denied"],
  [QuestionRefused, "unauthorized"],
] as const;

/** Refusals of this process by their status. Others are invalid calls. */
const OUTCOMES: Readonly<Record<number, ToolCallOutcome>> = {
  401: "needs_login",
  429: "too_many",
  502: "failed",
  503: "unchecked",
};

/** What a call of a tool is answered that failed, and how it counts. */
export function refusedBy(error: unknown): Refused {
  if (error instanceof Refusal) return { outcome: OUTCOMES[error.status] ?? "invalid", refusal: error };
  if (error instanceof DaemonAway) {
    const refusal = new Refusal(503, "the daemon cannot be asked at this moment; try again", RETRY_SOON);
    return { outcome: "unchecked", refusal };
  }
  if (error instanceof TooManyQuestions)
    return { outcome: "too_many", refusal: new Refusal(429, error.message, RETRY_SOON) };
  for (const [kind, outcome] of FORBIDDEN)
    if (error instanceof kind) return { outcome, refusal: new Refusal(403, error.message) };
  return { outcome: "unreachable", refusal: null };
}
