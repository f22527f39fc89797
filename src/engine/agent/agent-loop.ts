import type { EngineErrorCode } from "../../contract/engine-errors.ts";
import { EngineError } from "../engine-error.ts";
import type { ModelFailure, ModelProvider, ModelRequest, ToolOutcome } from "../model/model-provider.ts";
import type { AgentProfile, AgentProfiles } from "./agent-profile.ts";
import type { Compactor } from "./compaction.ts";
import { modelMessages } from "./conversation.ts";
import { LOOP_HINT, LoopGuard } from "./loop-guard.ts";
import type { ModelAnswer } from "./model-answer.ts";
import { callModel } from "./model-call.ts";
import type { Recall } from "./recall.ts";
import { soundUsage } from "./sound-usage.ts";
import type { LoggedCall, StepLog } from "./step-log.ts";
import { type ToolParts, runToolCalls } from "./tool-calls.ts";
import type { TurnContext } from "./turn-context.ts";

export type AgentOutcome =
  | { readonly kind: "completed" }
  /** The engine stops: the turn goes on from its last stored step at the next start. */
  | { readonly kind: "parked" }
  | {
      readonly kind: "errored";
      readonly code: EngineErrorCode;
      readonly message: string;
      readonly details?: Readonly<Record<string, unknown>>;
    };
export type AgentLoop = (context: TurnContext) => Promise<AgentOutcome>;

export interface AgentParts {
  readonly provider: ModelProvider;
  readonly maxOutputTokens: number;
  readonly profiles: AgentProfiles;
  readonly tools: Omit<ToolParts, "registry">;
  /** Makes requests smaller where the conversation has grown too large. */
  readonly compactor?: Compactor;
  /** Puts what memory has on a message behind it. */
  readonly recall?: Recall;
}

/**
 * Model call, tool calls, and again, until the model has nothing more to call. What comes next is read from the log,
 * where each step is stored as it is done: a turn of an engine that was killed runs through here as any other.
 */
export function createAgentLoop(parts: AgentParts): AgentLoop {
  return async (context) => {
    const { log } = context;
    const guard = new LoopGuard(log.settledCalls());
    let profile = parts.profiles(context.agent);
    for (;;) {
      const next = log.next();
      if (next.kind === "done") return { kind: "completed" };
      if (context.parking()) return { kind: "parked" };
      switch (next.kind) {
        case "ask_model": {
          if (log.steps >= context.maxSteps) return stepLimit(context.maxSteps);
          profile = parts.profiles(context.agent);
          const failure = await askModel(parts, profile, context);
          if (failure !== null) return failedOutcome(failure, context);
          break;
        }
        case "settle_calls": {
          const outcomes = await runToolCalls(next.calls, context, { ...parts.tools, registry: profile.registry });
          if (outcomes === null) return { kind: "parked" };
          if (settle(next.calls, outcomes, { guard, log }) === "stop") return LOOP_DETECTED;
          break;
        }
        default:
          next satisfies never;
      }
    }
  };
}

async function askModel(parts: AgentParts, profile: AgentProfile, context: TurnContext): Promise<ModelFailure | null> {
  const { compactor, recall } = parts;
  await recall?.(context);
  const whole = requestOf(parts, profile, context);
  let request = (await compactor?.fit(whole, context)) ?? whole;
  let answer = await callAndSpend(parts, request, context);
  if (answer.failure !== null && answer.content.length === 0) {
    const smaller = await compactor?.shrink(whole, answer.failure, context);
    if (smaller) answer = await callAndSpend(parts, (request = smaller), context);
  }
  if (answer.usage !== null && answer.failure === null) compactor?.measured(request, answer.usage, context);
  if (answer.failure === null) context.log.answered(answer);
  else context.log.brokeOff(answer.content);
  return answer.failure;
}

async function callAndSpend(parts: AgentParts, request: ModelRequest, context: TurnContext): Promise<ModelAnswer> {
  const answer = await callModel(parts.provider, request, context);
  if (answer.usage !== null) context.spend(soundUsage(answer.usage));
  return answer;
}

function requestOf(
  { maxOutputTokens }: AgentParts,
  { system, model, registry }: AgentProfile,
  { log, thinking }: TurnContext,
): ModelRequest {
  const messages = modelMessages(log.messages());
  return { model, system, messages, tools: registry.modelTools, thinking, maxOutputTokens };
}

/** Stores the results as the model reads them, with a hint where a call goes round in circles. */
function settle(
  calls: readonly LoggedCall[],
  outcomes: readonly ToolOutcome[],
  { guard, log }: { readonly guard: LoopGuard; readonly log: StepLog },
): "fine" | "stop" {
  const judged = calls.map((call, index) => judge(guard, call, outcomes[index]));
  log.settled(judged.map(({ outcome }) => outcome));
  return judged.some(({ verdict }) => verdict === "stop") ? "stop" : "fine";
}

function judge(guard: LoopGuard, call: LoggedCall, outcome: ToolOutcome | undefined) {
  if (outcome === undefined) throw new Error(`call ${call.id} has no outcome`);
  const verdict = guard.judge(call, outcome);
  const hinted = verdict === "hint" ? { ...outcome, output: `${textOf(outcome.output)}${LOOP_HINT}` } : outcome;
  return { verdict, outcome: hinted };
}

const textOf = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output));

const LOOP_DETECTED: AgentOutcome = {
  kind: "errored",
  code: "LOOP_DETECTED",
  message: "five answers made the same tool call and got the same result",
};

const stepLimit = (maxSteps: number): AgentOutcome => ({
  kind: "errored",
  code: "STEP_LIMIT",
  message: `the turn reached ${maxSteps} model calls`,
  details: { max_steps: maxSteps },
});

function failedOutcome(failure: ModelFailure, { signal }: TurnContext): AgentOutcome {
  switch (failure.kind) {
    case "rate_limited":
      return {
        kind: "errored",
        code: "LLM_RATE_LIMITED",
        message: failure.message,
        ...(failure.retryAfterS !== null && { details: { retry_after: failure.retryAfterS } }),
      };
    case "transient":
    case "permanent":
      return {
        kind: "errored",
        code: "LLM_PROVIDER_ERROR",
        message: failure.message,
        ...(failure.status !== null && { details: { status: failure.status } }),
      };
    case "too_long":
      return {
        kind: "errored",
        code: "LLM_PROVIDER_ERROR",
        message: failure.message,
        details: { reason: "context_too_long" },
      };
    case "aborted":
      signal.throwIfAborted();
      throw new EngineError("INTERNAL_ERROR", "the model call was aborted without a reason");
    default:
      return failure satisfies never;
  }
}
