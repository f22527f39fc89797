import PQueue from "p-queue";
import type { ToolOutcome } from "../model/model-provider.ts";
import { type Grant, type PermissionOption, authorize, grantOf } from "../tools/authorize.ts";
import { type Claims, claimsOf, mustWaitFor } from "../tools/call-order.ts";
import type { ToolExecutor } from "../tools/execute.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { RequestedCall } from "./model-call.ts";
import type { TurnContext } from "./turn-context.ts";

export interface ToolParts {
  /** The tools that the model was shown. */
  readonly registry: ToolRegistry;
  readonly execute: ToolExecutor;
  /** How many calls of one step run at once. */
  readonly concurrency: number;
  readonly workspaceDir: string;
  readonly grants: {
    ofTask(taskId: string): readonly Grant[];
    add(grant: Grant): void;
  };
}

type Prepared =
  | {
      readonly kind: "ready";
      readonly call: RequestedCall;
      readonly tool: Tool;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "refused"; readonly call: RequestedCall; readonly words: string };

/**
 * The calls of one model answer. What needs a person's leave is settled first, one question at a time, before any of
 * them runs. Then they run together up to the cap, those that change what others use in order; a call that itself asks
 * a human runs alone at the end, for nothing else goes on while a question is open. Events come as calls finish; the
 * outcomes are given in call order.
 */
export async function runToolCalls(
  calls: readonly RequestedCall[],
  context: TurnContext,
  parts: ToolParts,
): Promise<ToolOutcome[]> {
  const prepared: Prepared[] = [];
  for (const call of calls) prepared.push(await prepare(call, context, parts));
  const outcomes = new Map<string, ToolOutcome>();
  const settle = (call: RequestedCall, output: unknown, error: string | null) => {
    outcomes.set(call.id, { id: call.id, tool: call.tool, output: error ?? output, isError: error !== null });
    context.emit({ event: "tool_result", data: { tool: call.tool, tool_call_id: call.id, output, error } });
  };
  for (const one of prepared) if (one.kind === "refused") settle(one.call, null, one.words);
  const ready = prepared.filter((one) => one.kind === "ready");
  const run = async ({ call, tool, input }: Extract<Prepared, { kind: "ready" }>) => {
    const { output, error } = await parts.execute(tool, input, toolContext(call, context, parts));
    context.signal.throwIfAborted();
    settle(call, output, error);
  };
  const queue = new PQueue({ concurrency: parts.concurrency });
  const begun: { readonly claims: Claims; readonly done: Promise<void> }[] = [];
  for (const one of ready.filter(({ tool }) => !tool.asksHuman)) {
    const claims = claimsOf(one.tool, one.input);
    const before = begun.filter((earlier) => mustWaitFor(claims, earlier.claims)).map(({ done }) => done);
    begun.push({ claims, done: Promise.allSettled(before).then(() => queue.add(() => run(one))) });
  }
  // A call that fails here was cut off with the turn, which ends when the processes of all are gone.
  await Promise.allSettled(begun.map(({ done }) => done));
  await Promise.all(begun.map(({ done }) => done));
  for (const one of ready.filter(({ tool }) => tool.asksHuman)) await run(one);
  return calls.flatMap(({ id }) => outcomes.get(id) ?? []);
}

/** A call the model got wrong, or that is not allowed, is told to the model; it never fails the turn. */
async function prepare(call: RequestedCall, context: TurnContext, parts: ToolParts): Promise<Prepared> {
  const tool = parts.registry.get(call.tool);
  if (tool === undefined) return { kind: "refused", call, words: `there is no tool named ${call.tool}` };
  if (call.input === null)
    return { kind: "refused", call, words: `the arguments are not valid JSON: ${call.rawInput.slice(0, 500)}` };
  const checked = tool.input.check(call.input);
  if (checked.kind === "invalid") return { kind: "refused", call, words: checked.words };
  const { input } = checked;
  const verdict = authorize({ tool, input, grants: parts.grants.ofTask(context.taskId) });
  switch (verdict.kind) {
    case "allow":
      return { kind: "ready", call, tool, input };
    case "deny":
      return { kind: "refused", call, words: verdict.reason };
    case "ask": {
      const { question, options } = verdict;
      const answer = await context.ask({
        kind: "permission",
        toolCallId: call.id,
        question,
        context: verdict.context,
        options,
        allowFreeText: false,
      });
      const grant = grantOf(tool, input, { answer: answer as PermissionOption, taskId: context.taskId });
      if (grant !== null) parts.grants.add(grant);
      return answer === "deny"
        ? { kind: "refused", call, words: "the user denied this call" }
        : { kind: "ready", call, tool, input };
    }
    default:
      return verdict satisfies never;
  }
}

function toolContext(call: RequestedCall, context: TurnContext, { workspaceDir }: ToolParts): ToolContext {
  return {
    taskId: context.taskId,
    turnId: context.turnId,
    toolCallId: call.id,
    workspaceDir,
    signal: context.signal,
    ask: ({ question, options, allowFreeText }) =>
      context.ask({
        kind: "question",
        toolCallId: call.id,
        question,
        context: { tool: call.tool },
        options,
        allowFreeText,
      }),
    note: (entryType, content) => context.note(entryType, content),
    progress: () => context.progress(),
  };
}
