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

/** Validates and authorizes a call. A refusal goes to the model as the call's result; it never fails the turn. */
export async function prepareCall(call: LoggedCall, context: TurnContext, parts: ToolParts): Promise<Prepared> {
  const tool = parts.registry.get(call.tool);
  const refused = (why: ToolRefusal, reason: string): Prepared => ({
    kind: "refused",
    call,
    why,
    source: tool?.source,
    reason,
  });
  if (call.progress.kind === "started" && tool?.readOnly !== true) return refused("outcome_unknown", OUTCOME_UNKNOWN);
  if (tool === undefined) return refused("unknown_tool", `unknown tool: ${call.tool}`);
  if (call.input === null) return refused("invalid_input", `${UNREADABLE}: ${call.rawInput.slice(0, 500)}`);
  const checked = tool.input.check(call.input);
  if (checked.kind === "invalid") return refused("invalid_input", checked.message);
  const { input } = checked;
  const { workspaceDir } = parts;
  const grants = parts.grants.ofTask(context.taskId);
  const verdict = await authorize({ tool, input, workspaceDir, grants, rules: parts.rules() });
  switch (verdict.kind) {
    case "allow":
      return { kind: "ready", call, tool, input, realPath: verdict.realPath };
    case "deny":
      return refused("denied", verdict.reason);
    case "ask": {
      const { question, options, pattern, allowed } = verdict;
      const request = { kind: "permission", toolCallId: call.id, question, context: verdict.context, options } as const;
      const asked = await context.ask({ ...request, allowFreeText: false });
      if (asked.kind === "expired") return refused("expired", "permission request timed out: the call is denied");
      const answer = options.find((option) => option === asked.answer);
      if (answer === undefined || answer === "deny") return refused("denied", "the user denied this call");
      const grant = grantOf(tool, pattern, { answer, taskId: context.taskId });
      if (grant !== null) parts.grants.add(grant);
      return { kind: "ready", call, tool, input, realPath: allowed.realPath };
    }
    default:
      return verdict satisfies never;
  }
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
    workspaceDir,
    realPath,
    signal: context.signal,
    scope: context.scope,
    async ask({ question, ...rest }) {
      const asked = await context.ask({
        kind: "question",
        toolCallId: call.id,
        question,
        context: { tool: call.tool },
        ...rest,
      });
      if (asked.kind === "expired") throw new ToolFailed("the question timed out without an answer");
      return asked.answer;
    },
    callClient: (asked) => callClient(call, asked, context),
    loadTools: (names) => context.log.load(names),
    note: (entryType, content) => context.note(entryType, content),
    progress: () => context.progress(),
  };
}

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
