import type { ToolVerdict } from "../../contract/engine/tool-hook-limits.ts";
import type PQueue from "p-queue";
import type { ToolRefusal } from "../../contract/engine/metrics.ts";
import { MAX_JSON_LEVELS } from "../../shared/json-values.ts";
import { type Grant, authorize, grantOf } from "../tools/authorize.ts";
import type { ToolExecutor } from "../tools/execute.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ToolRule } from "../tools/tool-rules.ts";
import { type ClientToolCall, type DelegateOrder, type Tool, type ToolContext, ToolFailed } from "../tools/tool.ts";
import type { LoggedCall } from "./step-log.ts";
import type { TurnContext } from "./turn-context.ts";

export interface ToolParts {
  /** The tools in the model's request. */
  readonly registry: ToolRegistry;
  readonly execute: ToolExecutor;
  /** Maximum parallel calls of one step. */
  readonly concurrency: number;
  /** The turn's queue, shared with the calls of sub-agents. */
  readonly queue?: PQueue;
  readonly delegate?: Delegate;
  readonly workspaceDir: string;
  readonly grants: {
    ofTask(taskId: string): readonly Grant[];
    add(grant: Grant): void;
  };
  /** The current rules of the catalog. */
  readonly rules: () => readonly ToolRule[];
}

/** Runs a sub-agent and returns its answer: text, or its result. Rejects with `ToolFailed`, or `CallParked` when the engine stops. */
export type Delegate = (
  order: DelegateOrder,
  of: { readonly call: LoggedCall; readonly context: TurnContext; readonly queue: PQueue },
) => Promise<unknown>;

export interface ReadyCall {
  readonly kind: "ready";
  readonly call: LoggedCall;
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  /** The real path that the call was authorized for. */
  readonly realPath: string | undefined;
}
export interface RefusedCall {
  readonly kind: "refused";
  readonly call: LoggedCall;
  /** For telemetry, with the source of the tool if it is known. */
  readonly why: ToolRefusal;
  readonly source: string | undefined;
  /** For the model. */
  readonly reason: string;
}
export type Prepared = ReadyCall | RefusedCall;

const OUTCOME_UNKNOWN =
  "OUTCOME UNKNOWN: the engine restarted while this call was running. It may have taken effect, wholly or in part, and " +
  "was not run again. Find out what it did before you repeat it.";

const UNREADABLE = `invalid arguments: not valid JSON, an object of at most ${MAX_JSON_LEVELS} levels`;

/** What a call is before anybody was asked about it. */
type CheckedCall = Pick<ReadyCall, "tool" | "input"> | RefusedCall;

function checkCall(call: LoggedCall, { registry }: Pick<ToolParts, "registry">): CheckedCall {
  const tool = registry.get(call.tool);
  if (call.progress.kind === "started" && tool?.readOnly !== true)
    return refused(call, tool, { why: "outcome_unknown", reason: OUTCOME_UNKNOWN });
  if (tool === undefined) return refused(call, tool, { why: "unknown_tool", reason: `unknown tool: ${call.tool}` });
  if (call.input === null) {
    const reason = `${UNREADABLE}: ${call.rawInput.slice(0, 500)}`;
    return refused(call, tool, { why: "invalid_input", reason });
  }
  const checked = tool.input.check(call.input);
  if (checked.kind === "invalid") return refused(call, tool, { why: "invalid_input", reason: checked.message });
  return { tool, input: checked.input };
}

const refused = (
  call: LoggedCall,
  tool: Tool | undefined,
  { why, reason }: Pick<RefusedCall, "why" | "reason">,
): RefusedCall => ({ kind: "refused", call, why, source: tool?.source, reason });

/** What the product's hook decides about a call. Null when it is not asked: the call is refused without it. */
export async function verdictOn(call: LoggedCall, context: TurnContext, parts: ToolParts): Promise<ToolVerdict | null> {
  if (!context.gate.covers(call.tool)) return null;
  const checked = checkCall(call, parts);
  if ("kind" in checked) return null;
  const { tool, input } = checked;
  const { workspaceDir } = parts;
  const verdict = await authorize({ tool, input, workspaceDir, grants: [], rules: parts.rules() });
  if (verdict.kind === "deny") return null;
  return context.gate.decide({ toolCallId: call.id, agent: context.agent, tool: call.tool, input });
}

/**
 * Validates and authorizes a call, with the input that the product's hook gave it. A refusal goes to the model as the
 * call's result; it never fails the turn.
 */
export async function prepareCall(
  call: LoggedCall,
  context: TurnContext,
  { verdict, ...parts }: ToolParts & { readonly verdict: ToolVerdict | null },
): Promise<Prepared> {
  const requested = checkCall(call, parts);
  if ("kind" in requested) return requested;
  const { tool } = requested;
  const denied = (reason: string) => refused(call, tool, { why: "denied", reason });
  const decided = verdict === null ? { kind: "run", input: requested.input } : afterHook(requested, verdict);
  if ("reason" in decided) return denied(decided.reason);
  const { input } = decided;
  const { workspaceDir } = parts;
  const grants = parts.grants.ofTask(context.taskId);
  const mustAsk = verdict?.verdict === "ask";
  const authorized = await authorize({ tool, input, workspaceDir, grants, rules: parts.rules(), mustAsk });
  switch (authorized.kind) {
    case "allow":
      return startable({ kind: "ready", call, tool, input, realPath: authorized.realPath }, context);
    case "deny":
      return denied(authorized.reason);
    case "ask": {
      const { question, options, pattern, allowed } = authorized;
      const request = {
        kind: "permission",
        toolCallId: call.id,
        question,
        context: authorized.context,
        options,
      } as const;
      const asked = await context.ask({ ...request, allowFreeText: false });
      if (asked.kind === "expired")
        return refused(call, tool, { why: "expired", reason: "permission request timed out: the call is denied" });
      const answer = options.find((option) => option === asked.answer);
      if (answer === undefined || answer === "deny") return denied("the user denied this call");
      const grant = grantOf(tool, pattern, { answer, taskId: context.taskId });
      if (grant !== null) parts.grants.add(grant);
      return startable({ kind: "ready", call, tool, input, realPath: allowed.realPath }, context);
    }
    default:
      return authorized satisfies never;
  }
}

/** The call once a person has done what it needs, or why it does not start. */
async function startable(ready: ReadyCall, context: TurnContext): Promise<Prepared> {
  const { call, tool } = ready;
  if (tool.beforeStart === undefined) return ready;
  try {
    await tool.beforeStart({ ...context, toolCallId: call.id, ask: askingFor(call, context) });
    return ready;
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    return refused(call, tool, { why: "denied", reason: error.message });
  }
}

/** The input that the product's hook lets a call run with, or why it does not run. */
function afterHook(
  { tool, input }: Pick<ReadyCall, "tool" | "input">,
  { verdict, reason, input: changed, error }: ToolVerdict,
): Pick<ReadyCall, "input"> | { readonly reason: string } {
  if (verdict === "deny") {
    if (error !== null) return { reason: `the product's hook did not decide about this call: ${error}` };
    return { reason: `the product denied this call${reason === null ? "" : `: ${reason}`}` };
  }
  if (changed === null) return { input };
  // The result of a turn is what the model has submitted.
  if (tool.endsTurn === true) return { reason: "the product's hook changed a result, which only the model may write" };
  const checked = tool.input.check(changed);
  if (checked.kind === "valid") return checked;
  return { reason: `the product's hook changed the input to one that the tool does not take: ${checked.message}` };
}

export function toolContext(
  { call, realPath }: Pick<ReadyCall, "call" | "realPath">,
  context: TurnContext,
  { workspaceDir, delegate, queue }: Pick<ToolParts, "workspaceDir" | "delegate"> & { readonly queue: PQueue },
): ToolContext {
  return {
    ...(delegate !== undefined && { delegate: (order) => delegate(order, { call, context, queue }) }),
    taskId: context.taskId,
    turnId: context.turnId,
    toolCallId: call.id,
    agent: context.agent,
    workspaceDir,
    realPath,
    signal: context.signal,
    scope: context.scope,
    ask: askingFor(call, context),
    callClient: (asked) => callClient(call, asked, context),
    loadTools: (names) => context.log.load(names),
    note: (entryType, content) => context.note(entryType, content),
    cite: (results) =>
      context.emit({ event: "knowledge_found", data: { tool_call_id: call.id, results: [...results] } }),
    progress: () => context.progress(),
  };
}

const askingFor =
  ({ id: toolCallId, tool }: LoggedCall, context: TurnContext): ToolContext["ask"] =>
  async ({ login, ...question }) => {
    const kind = login === undefined ? "question" : "login";
    const asked = await context.ask({ kind, toolCallId, context: { tool, ...login }, ...question });
    if (asked.kind === "expired") throw new ToolFailed("the question timed out without an answer");
    return asked.answer;
  };

async function callClient(
  { id: toolCallId, tool }: LoggedCall,
  { input, outputSchema }: ClientToolCall,
  context: TurnContext,
): Promise<unknown> {
  const announce = () => {
    // A reload of the catalog gave the tool to the client after the call was announced as one of the engine.
    if (context.isAnnounced(toolCallId)) throw new ToolFailed("the client runs this tool now; call it again");
    context.emit({ event: "tool_call", data: { tool, tool_call_id: toolCallId, input: { ...input }, runs: "client" } });
  };
  const end = await context.callClient({ toolCallId, tool, input, outputSchema, announce });
  if (end.kind === "expired") throw new ToolFailed("the client did not answer in time");
  if ("error" in end.answer) throw new ToolFailed(end.answer.error);
  return end.answer.output;
}
