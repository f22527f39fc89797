import { asText } from "../../shared/json-values.ts";
import type { EngineEventData } from "../../contract/engine/events.ts";
import type { EngineErrorCode } from "../../contract/engine/errors.ts";
import { EngineError } from "../engine-error.ts";
import type { ShowAttachments } from "../model/attachments/show-attachments.ts";
import type { ModelFailure, ModelProvider, ModelRequest, ToolOutcome } from "../model/model-provider.ts";
import type { AgentProfile, AgentProfiles } from "./agent-profiles.ts";
import { type ModelParts, changeReason, chooseModels, retryAfterOf } from "./choose-models.ts";
import type { Compactor } from "./compaction.ts";
import { modelMessages } from "./conversation.ts";
import { LOOP_HINT, LoopGuard } from "./loop-guard.ts";
import { callModel } from "./model-call.ts";
import type { Recall } from "./recall.ts";
import type { LoggedCall, ModelAnswer, StepLog } from "./step-log.ts";
import { type ToolParts, runToolCalls } from "./tool-calls.ts";
import type { TurnContext } from "./turn-context.ts";
import { ASK_FOR_RESULT, judgeResult, resultProfiles } from "./turn-result.ts";

export type AgentOutcome =
  /** `output`: the result of a turn with an output schema. */
  | { readonly kind: "completed"; readonly output?: Readonly<Record<string, unknown>> }
  /** The engine is stopping: the turn resumes from its last stored step at the next start. */
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
  readonly models: ModelParts;
  readonly maxOutputTokens: (model: string) => number;
  readonly profiles: AgentProfiles;
  /** Why the product's policy does not allow an agent; null when it does. Default: every agent is allowed. */
  readonly agentProblem?: (agent: string) => string | null;
  readonly tools: Omit<ToolParts, "registry">;
  /** Compacts the conversation when it exceeds the context window. */
  readonly compactor?: Compactor;
  /** Decides which attachments the model is shown. Default: none. */
  readonly showAttachments?: ShowAttachments;
  /** Adds memories that match the user's message to the request. */
  readonly recall?: Recall;
}

/**
 * Calls the model, runs its tool calls, and repeats until the model requests no more. The next step is read from the
 * step log, so a turn resumed after a crash takes the same path as any other.
 */
export function createAgentLoop(parts: AgentParts): AgentLoop {
  return async (context) => {
    const { log } = context;
    const guard = new LoopGuard(log.settledCalls());
    const given: AgentProfiles = (agent, choice) =>
      parts.profiles(agent, { clientTools: context.clientTools, ...choice });
    const own = { ...parts, profiles: resultProfiles(given, context.outputSchema) };
    let profile = own.profiles(context.agent);
    for (;;) {
      const next = log.next();
      if (profile.outputSchema !== undefined) {
        const verdict = judgeResult(next.kind, log);
        if (verdict.kind === "over") return verdict.outcome;
        if (verdict.kind === "ask") {
          log.asked(ASK_FOR_RESULT);
          continue;
        }
      }
      if (next.kind === "done") return { kind: "completed" };
      if (context.parking()) return { kind: "parked" };
      switch (next.kind) {
        case "ask_model": {
          if (log.steps >= context.maxSteps) return stepLimit(context.maxSteps);
          log.takeMessages();
          const done = context.work();
          const asked = await askModels(own, context).finally(done);
          if (asked.kind === "denied") return { kind: "errored", code: "POLICY_DENIED", message: asked.message };
          if (asked.failure !== null) return failedOutcome(asked.failure, context);
          ({ profile } = asked);
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

type Asked =
  | { readonly kind: "asked"; readonly profile: AgentProfile; readonly failure: ModelFailure | null }
  /** By the policy. */
  | { readonly kind: "denied"; readonly message: string };

/** Asks the model of the step. If it fails before it has shown anything, the next one of its list is asked. */
async function askModels(parts: AgentParts, context: TurnContext): Promise<Asked> {
  const { cooldowns, rules } = parts.models;
  // The policy may have changed while the message waited. Later in the turn the default agent takes over.
  const refusal = context.log.steps === 0 ? (parts.agentProblem?.(context.agent) ?? null) : null;
  if (refusal !== null) return { kind: "denied", message: `agent: ${refusal}` };
  // Of the whole step, so that a message interrupts it also between two models.
  const interrupt = context.newInterrupt();
  await parts.recall?.(context);
  const own = parts.profiles(context.agent);
  const chosen = chooseModels(own, context, parts.models);
  if (chosen.kind === "denied") return chosen;
  let [model] = chosen.models;
  const change = (data: EngineEventData["model_changed"]) => {
    context.emit({ event: "model_changed", data });
    const labels = { ...rules.read(data.from), reason: data.reason };
    context.telemetry.counters.count("orch_model_changes_total", labels);
  };
  if (chosen.instead !== null) change({ from: chosen.instead, to: model, reason: "cooldown" });
  for (const next of [...chosen.models.slice(1), null]) {
    const profile = model === own.model ? own : parts.profiles(context.agent, { model });
    cooldowns.tried(model);
    const { failure, hasOutput } = await askModel(
      parts,
      { ...profile, model, hasFallback: next !== null },
      { context, interrupt },
    ).catch((error: unknown) => {
      cooldowns.released(model);
      throw error;
    });
    const reason = failure === null || hasOutput ? null : changeReason(failure);
    if (failure === null) cooldowns.answered(model);
    else if (reason === null) cooldowns.released(model);
    else cooldowns.failed(model, reason, retryAfterOf(failure));
    if (reason === null || next === null) return { kind: "asked", profile, failure };
    change({ from: model, to: next, reason });
    model = next;
  }
  throw new Error("no model was asked");
}

/** What one model is asked with. */
type Speaker = AgentProfile & { readonly hasFallback: boolean };

async function askModel(
  parts: AgentParts,
  speaker: Speaker,
  { context, interrupt }: { readonly context: TurnContext; readonly interrupt: AbortSignal },
): Promise<ModelAnswer> {
  const { compactor } = parts;
  const full = requestOf(parts, speaker, context);
  let request = (await compactor?.fit(full, context)) ?? full;
  const signal = AbortSignal.any([context.signal, interrupt]);
  const call = async (request: ModelRequest) =>
    callAndSpend({ ...parts, profile: speaker }, request, { ...context, signal });
  let answer = await call(request);
  if (answer.failure !== null && answer.content.length === 0) {
    const smaller = await compactor?.shrink(full, answer.failure, context);
    if (smaller) answer = await call((request = smaller));
  }
  if (answer.failure?.kind === "aborted" && !context.signal.aborted) {
    context.cutOff(answer.content);
    return { ...answer, failure: null };
  }
  if (answer.usage !== null && answer.failure === null) compactor?.measured(request, answer.usage, context);
  if (answer.failure === null) context.log.answered(answer);
  else context.log.brokeOff(answer.content);
  return answer;
}

async function callAndSpend(
  { provider, profile }: Pick<AgentParts, "provider"> & { readonly profile: AgentProfile },
  request: ModelRequest,
  context: TurnContext,
): Promise<ModelAnswer> {
  const runsOnClient = (tool: string) => profile.registry.get(tool)?.runsOnClient === true;
  const answer = await callModel({ provider, runsOnClient }, request, context);
  if (answer.usage !== null) context.spend(answer.usage);
  return answer;
}

function requestOf(
  { maxOutputTokens, showAttachments }: AgentParts,
  { system, model, effort: agentsEffort, offer, hasFallback }: Speaker,
  { log, thinking, scope, effort = agentsEffort }: TurnContext,
): ModelRequest {
  const stored = modelMessages(log.messages());
  const messages = showAttachments?.(stored, model) ?? stored;
  const choice = { model, ...(effort && { effort }), ...(hasFallback && { hasFallback }) };
  return {
    ...choice,
    system,
    messages,
    tools: offer(log.loadedTools()),
    thinking,
    maxOutputTokens: maxOutputTokens(model),
    scope,
  };
}

/** Stores the tool results for the model. A call repeated with the same result gets a hint. */
function settle(
  calls: readonly LoggedCall[],
  outcomes: readonly ToolOutcome[],
  { guard, log }: { readonly guard: LoopGuard; readonly log: StepLog },
): "continue" | "stop" {
  const judged = calls.map((call, index) => judge(guard, call, outcomes[index]));
  log.settled(judged.map(({ outcome }) => outcome));
  return judged.some(({ verdict }) => verdict === "stop") ? "stop" : "continue";
}

function judge(guard: LoopGuard, call: LoggedCall, outcome: ToolOutcome | undefined) {
  if (outcome === undefined) throw new Error(`call ${call.id} has no outcome`);
  const verdict = guard.judge(call, outcome);
  const hinted = verdict === "hint" ? { ...outcome, output: `${asText(outcome.output)}${LOOP_HINT}` } : outcome;
  return { verdict, outcome: hinted };
}

const LOOP_DETECTED: AgentOutcome = {
  kind: "errored",
  code: "LOOP_DETECTED",
  message: "the same tool call returned the same result in five model answers",
};

const stepLimit = (maxSteps: number): AgentOutcome => ({
  kind: "errored",
  code: "STEP_LIMIT",
  message: `the turn reached its limit of ${maxSteps} model calls`,
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
    case "over_budget":
      return { kind: "errored", code: "BUDGET_EXCEEDED", message: failure.message, details: failure.details };
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
