import PQueue from "p-queue";
import type { ToolOutcome } from "../model/model-provider.ts";
import { type Claims, claimsOf, mustWaitFor } from "../tools/call-order.ts";
import { CallParked } from "../tools/tool.ts";
import { type Prepared, type ReadyCall, type ToolParts, prepareCall, toolContext } from "./prepare-call.ts";
import type { LoggedCall } from "./step-log.ts";
import type { TurnContext } from "./turn-context.ts";

export type { ToolParts } from "./prepare-call.ts";

/**
 * The calls of one model answer, or what a restart has left of them. What needs a person's leave is settled first, one
 * question at a time, before any of them runs. Then they run together up to the cap, those that change what others use
 * in order; a call that itself asks a human runs alone at the end, for nothing else goes on while a question is open.
 * Events come as calls finish; the outcomes are given in call order, or null when the engine stops before all are there.
 */
export async function runToolCalls(
  calls: readonly LoggedCall[],
  context: TurnContext,
  parts: ToolParts,
): Promise<readonly ToolOutcome[] | null> {
  const outcomes = new Map<string, ToolOutcome>();
  for (const { id, progress } of calls) if (progress.kind === "finished") outcomes.set(id, progress.outcome);
  const settle = ({ id, tool }: LoggedCall, output: unknown, error: string | null) => {
    const outcome = { id, tool, output: error ?? output, isError: error !== null };
    context.emit({ event: "tool_result", data: { tool, tool_call_id: id, output, error } });
    context.log.finished(outcome);
    outcomes.set(id, outcome);
  };
  const prepared: Prepared[] = [];
  for (const call of calls.filter(({ id }) => !outcomes.has(id))) {
    if (context.parking()) return null;
    prepared.push(await prepareCall(call, context, parts));
  }
  for (const one of prepared) if (one.kind === "refused") settle(one.call, null, one.words);
  const ready = prepared.filter((one) => one.kind === "ready");
  await runTogether(ready, context, { parts, settle });
  return outcomes.size === calls.length ? calls.flatMap(({ id }) => outcomes.get(id) ?? []) : null;
}

async function runTogether(
  all: readonly ReadyCall[],
  context: TurnContext,
  {
    parts,
    settle,
  }: {
    readonly parts: ToolParts;
    readonly settle: (call: LoggedCall, output: unknown, error: string | null) => void;
  },
): Promise<void> {
  const queue = parts.queue ?? new PQueue({ concurrency: parts.concurrency });
  const run = async (ready: ReadyCall) => {
    const { call, tool, input } = ready;
    await context.quiet();
    if (context.parking()) return;
    context.log.started(call.id, tool);
    const { output, error } = await parts.execute(tool, input, toolContext(ready, context, { ...parts, queue }));
    // Another call of this step may be asking, a tool server's for one: its question is settled first.
    await context.quiet();
    context.signal.throwIfAborted();
    settle(call, output, error);
  };
  const begun: { readonly claims: Claims; readonly done: Promise<void> }[] = [];
  // Judged once: what a call may ask can change while it runs, and none may run twice.
  const { alone = [], together = [] } = Object.groupBy(all, (one) => (runsAlone(one) ? "alone" : "together"));
  for (const one of together) {
    const claims = claimsOf(one.tool, one.input);
    const before = begun.filter((earlier) => mustWaitFor(claims, earlier.claims)).map(({ done }) => done);
    const start = () => (one.tool.delegates === true ? run(one) : queue.add(() => run(one)));
    begun.push({ claims, done: Promise.allSettled(before).then(start).catch(unlessParked) });
  }
  // A call that fails here was cut off with the turn, which ends when the processes of all are gone.
  await Promise.allSettled(begun.map(({ done }) => done));
  await Promise.all(begun.map(({ done }) => done));
  for (const one of alone) await run(one).catch(unlessParked);
}

const runsAlone = ({ tool, input }: ReadyCall): boolean =>
  tool.asksHuman === true || tool.mayAskHuman?.(input) === true;

/** A parked call stays open: its turn goes on with it at the next start. */
function unlessParked(error: unknown): void {
  if (!(error instanceof CallParked)) throw error;
}
