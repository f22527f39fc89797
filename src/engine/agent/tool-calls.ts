import PQueue from "p-queue";
import { MAX_FILE_EVENTS } from "../../contract/engine/event-limits.ts";
import type { ToolOutcome } from "../model/model-provider.ts";
import { type Claims, claimsOf, mustWaitFor } from "../tools/call-order.ts";
import type { ToolResult } from "../tools/execute.ts";
import { CallParked, ToolFailed, waitsOnOthers } from "../tools/tool.ts";
import { announce } from "./model-call.ts";
import { type Prepared, type ReadyCall, type ToolParts, prepareCall, toolContext, verdictOn } from "./prepare-call.ts";
import type { LoggedCall } from "./step-log.ts";
import type { TurnContext } from "./turn-context.ts";

export type { ToolParts } from "./prepare-call.ts";

/**
 * Runs the unfinished calls of one model answer. The product's hook is asked about all together, then permission questions
 * come, one at a time, before any call runs.
 * Then calls run in parallel up to the limit, conflicting ones in order, and those of the client beside them. A call that asks a human runs alone at the end,
 * because the turn does nothing else while a question is open. Events are emitted as calls finish.
 * Returns the outcomes in call order, or null when the engine stops first.
 */
export async function runToolCalls(
  calls: readonly LoggedCall[],
  context: TurnContext,
  parts: ToolParts,
): Promise<readonly ToolOutcome[] | null> {
  const outcomes = new Map<string, ToolOutcome>();
  for (const { id, progress } of calls) if (progress.kind === "finished") outcomes.set(id, progress.outcome);
  const settle: Settle = ({ id, tool }, { output, value, error, attachments, changed = [] }) => {
    const attached = attachments === undefined ? {} : { attachments };
    const outcome = { id, tool, output: error ?? output, isError: error !== null, ...attached };
    for (const file of changed.slice(0, MAX_FILE_EVENTS))
      context.emit({ event: "file_changed", data: { ...file, tool_call_id: id } });
    context.emit({
      event: "tool_result",
      data: { tool, tool_call_id: id, output, ...(value && { value }), error, ...attached },
    });
    context.log.finished(outcome);
    outcomes.set(id, outcome);
  };
  const prepared: Prepared[] = [];
  const unfinished = calls.filter(({ id }) => !outcomes.has(id));
  if (context.parking()) return null;
  const verdicts = await Promise.all(unfinished.map((call) => verdictOn(call, context, parts)));
  for (const [at, call] of unfinished.entries()) {
    if (context.parking()) return null;
    prepared.push(await prepareCall(call, context, { ...parts, verdict: verdicts[at] ?? null }));
  }
  for (const one of prepared) {
    // A call for the client is announced when it is open, so that the client never runs one that was refused.
    const isForClient = one.kind === "ready" && one.tool.runsOnClient === true;
    if (!isForClient && !context.isAnnounced(one.call.id)) announce(context, one.call);
    if (one.kind !== "refused") continue;
    const { call, why, source } = one;
    context.telemetry.toolRefused({ id: call.id, name: call.tool, source }, context.scope, why);
    settle(call, { output: null, error: one.reason });
  }
  const ready = prepared.filter((one) => one.kind === "ready");
  const { ending = [], others = [] } = Object.groupBy(ready, ({ tool }) => (tool.endsTurn ? "ending" : "others"));
  await runTogether(others, context, { parts, settle });
  if (outcomes.size + ending.length < calls.length) return null;
  for (const one of ending) await runTogether([unlessTooEarly(one, outcomes)], context, { parts, settle });
  return outcomes.size === calls.length ? calls.flatMap(({ id }) => outcomes.get(id) ?? []) : null;
}

type Settle = (
  call: LoggedCall,
  result: Pick<ToolResult, "output" | "value" | "error" | "attachments" | "changed">,
) => void;

async function runTogether(
  all: readonly ReadyCall[],
  context: TurnContext,
  {
    parts,
    settle,
  }: {
    readonly parts: ToolParts;
    readonly settle: Settle;
  },
): Promise<void> {
  const queue = parts.queue ?? new PQueue({ concurrency: parts.concurrency });
  const run = async (ready: ReadyCall) => {
    const { call, tool, input } = ready;
    await context.humanWaitOver();
    if (context.parking()) return;
    context.log.started(call.id, tool);
    const observed = context.telemetry.toolCall({ ...tool, id: call.id }, context.scope);
    const done = waitsOnOthers(tool) ? undefined : context.work();
    const inside = toolContext(ready, { ...context, scope: observed.scope }, { ...parts, queue });
    const executed = parts.execute(tool, input, inside).finally(done);
    const result = await executed.catch((reason: unknown) => {
      observed.end("aborted");
      throw reason;
    });
    observed.end(result.failure);
    // Another call of this step may be waiting for a human: no event may come before its answer.
    await context.humanWaitOver();
    context.signal.throwIfAborted();
    settle(call, result);
  };
  const started: { readonly claims: Claims; readonly done: Promise<void> }[] = [];
  // Evaluated once: `mayAskHuman` can change while calls run, and no call may run twice.
  const { alone = [], together = [] } = Object.groupBy(all, (one) => (runsAlone(one) ? "alone" : "together"));
  for (const one of together) {
    const claims = claimsOf(one.tool, one.input);
    const before = started.filter((earlier) => mustWaitFor(claims, earlier.claims)).map(({ done }) => done);
    const start = () => (waitsOnOthers(one.tool) ? run(one) : queue.add(() => run(one)));
    started.push({ claims, done: Promise.allSettled(before).then(start).catch(unlessParked) });
  }
  // A call that rejects was aborted with the turn. The turn ends after the processes of all calls have exited.
  await Promise.allSettled(started.map(({ done }) => done));
  await Promise.all(started.map(({ done }) => done));
  for (const one of alone) await run(one).catch(unlessParked);
}

/** A result is refused when a call of its step failed, since the model has not seen that, and after another result. */
function unlessTooEarly(ready: ReadyCall, outcomes: ReadonlyMap<string, ToolOutcome>): ReadyCall {
  const others = [...outcomes.values()];
  const isAfterAnother = others.some(({ tool, isError }) => tool === ready.tool.name && !isError);
  const failed = others.find(({ tool, isError }) => tool !== ready.tool.name && isError);
  if (!isAfterAnother && failed === undefined) return ready;
  const reason = isAfterAnother
    ? "another call of this step has submitted the result"
    : `${failed?.tool} failed in this step; submit the result again, with regard to that`;
  return { ...ready, tool: { ...ready.tool, run: () => Promise.reject(new ToolFailed(reason)) } };
}

const runsAlone = ({ tool, input }: ReadyCall): boolean =>
  tool.asksHuman === true || tool.mayAskHuman?.(input) === true;

/** A parked call stays unfinished: its turn resumes with it at the next start. */
function unlessParked(error: unknown): void {
  if (!(error instanceof CallParked)) throw error;
}
