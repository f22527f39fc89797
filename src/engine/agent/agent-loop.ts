import type { EngineErrorCode } from "../../contract/engine-errors.ts";
import { EngineError } from "../engine-error.ts";
import type { ModelFailure, ModelProvider, ModelRequest, ModelUsage, ToolOutcome } from "../model/model-provider.ts";
import type { AgentProfile, AgentProfiles } from "./agent-profile.ts";
import { modelMessages } from "./conversation.ts";
import { LOOP_HINT, LoopGuard } from "./loop-guard.ts";
import { BlockCounter, type ModelAnswer, type RequestedCall, callModel } from "./model-call.ts";
import { type ToolParts, runToolCalls } from "./tool-calls.ts";
import type { Conversation, TurnContext } from "./turn-context.ts";

export { type ToldResult, finishOpenCalls } from "./conversation.ts";
export type { TurnContext } from "./turn-context.ts";

export type AgentOutcome =
  | { readonly kind: "completed" }
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
  readonly conversation: Conversation;
  readonly tools: Omit<ToolParts, "registry">;
}

const OPEN_CALL = "the call did not finish; whether it took effect is unknown";

/** Model call, tool calls, and again, until the model has nothing more to call. Each step is stored as it is done. */
export function createAgentLoop(parts: AgentParts): AgentLoop {
  return async (context) => {
    const blocks = new BlockCounter();
    const guard = new LoopGuard();
    const usage = new TurnUsage();
    for (let step = 0; step < context.maxSteps; step++) {
      const profile = parts.profiles(context.agent);
      const answer = await callModel(parts.provider, requestOf(parts, profile, context), { context, blocks });
      if (answer.content.length > 0) store(parts, context, { role: "assistant", content: answer.content });
      usage.add(answer.usage, context);
      if (answer.failure !== null) return failedOutcome(answer.failure, context);
      if (answer.calls.length === 0) return { kind: "completed" };
      const outcomes = await runToolCalls(answer.calls, context, { ...parts.tools, registry: profile.registry });
      const judged = outcomes.map((outcome) => judge(guard, answer, outcome));
      store(parts, context, { role: "tool", content: judged.map(({ outcome }) => outcome) });
      if (judged.some(({ verdict }) => verdict === "stop")) {
        return {
          kind: "errored",
          code: "LOOP_DETECTED",
          message: "the same tool call gave the same result five times",
        };
      }
    }
    return {
      kind: "errored",
      code: "STEP_LIMIT",
      message: `the turn reached ${context.maxSteps} model calls`,
      details: { max_steps: context.maxSteps },
    };
  };
}

function requestOf(
  { conversation, maxOutputTokens }: AgentParts,
  { system, model, registry }: AgentProfile,
  { taskId, thinking }: TurnContext,
): ModelRequest {
  const messages = modelMessages(conversation.ofTask(taskId), OPEN_CALL);
  return { model, system, messages, tools: registry.modelTools, thinking, maxOutputTokens };
}

function store(
  { conversation }: AgentParts,
  { taskId, turnId }: TurnContext,
  message: { role: "assistant" | "tool"; content: unknown },
): void {
  conversation.append(taskId, { turnId, ...message });
}

function judge(guard: LoopGuard, { calls }: ModelAnswer, outcome: ToolOutcome) {
  const call = calls.find(({ id }) => id === outcome.id) as RequestedCall;
  const verdict = guard.judge(call, outcome);
  const hinted = verdict === "hint" ? { ...outcome, output: `${textOf(outcome.output)}${LOOP_HINT}` } : outcome;
  return { verdict, outcome: hinted };
}

const textOf = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output));

/** What the turn has used so far; told after each model call that says what it used. */
class TurnUsage {
  #total: ModelUsage = { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };

  add(used: ModelUsage | null, context: TurnContext): void {
    if (used === null) return;
    const { inputTokens, outputTokens, cacheHitTokens } = this.#total;
    this.#total = {
      inputTokens: inputTokens + used.inputTokens,
      outputTokens: outputTokens + used.outputTokens,
      cacheHitTokens: cacheHitTokens + used.cacheHitTokens,
    };
    context.emit({
      event: "usage",
      data: {
        input_tokens: this.#total.inputTokens,
        output_tokens: this.#total.outputTokens,
        cache_hit_tokens: this.#total.cacheHitTokens,
      },
    });
  }
}

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
