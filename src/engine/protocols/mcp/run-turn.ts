import {
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  inputRequired,
} from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { takeForm } from "./answer-question.ts";
import { type Outcome, awaitTurn } from "./ask-outcome.ts";
import { type FollowContext, type FollowedTurn, attachTurn, resumeTurn } from "./follow-turn.ts";
import { questionForm } from "./question-form.ts";
import { errorResult, resultOf } from "./tool-result.ts";

/** Which turn a request waits for, in `requestState`. It is not signed: each call checks which tasks its key may reach. */
const waitState = z.object({ task: z.string(), turn: z.string() });

export interface TurnCall extends FollowContext {
  readonly context: ServerContext;
  /** Whether the result may ask the client's user for input, as in the revision 2026-07-28. */
  readonly requiresInput: boolean;
}

/** Runs a tool that waits for a turn, and returns the result of the tool. */
export async function runTurn(
  call: TurnCall,
  begin: () => Promise<FollowedTurn>,
): Promise<CallToolResult | InputRequiredResult> {
  const { calls, exchange, context, requiresInput } = call;
  try {
    const state = readState(context);
    const turn =
      state !== null
        ? await attachTurn(state, call)
        : await (exchange.resumed === null ? begin() : resumeTurn(exchange.resumed, call));
    const end = cancelOnAbort(call, turn);
    try {
      const left = await takeForms(call, turn);
      const outcome = left ?? (await awaitTurn(turn, { exchange, note: progressOf(context) }));
      if (left === null && outcome.kind === "question" && requiresInput) {
        const { turnId } = turn.progress;
        const { request_id: id } = outcome.question;
        return inputRequired({
          inputRequests: { [id]: inputRequired.elicit(questionForm(outcome.question)) },
          requestState: JSON.stringify({ task: turn.taskId, turn: turnId ?? "" } satisfies z.output<typeof waitState>),
        });
      }
      return resultOf(turn, outcome);
    } finally {
      end();
    }
  } catch (error) {
    const { code, message } = calls.described(error);
    return errorResult(code, message);
  }
}

function readState({ mcpReq }: ServerContext): z.output<typeof waitState> | null {
  const text: unknown = mcpReq.requestState();
  if (typeof text !== "string") return null;
  try {
    return z.parse(waitState, JSON.parse(text));
  } catch {
    return null;
  }
}

/** Takes what the client's user has entered. Returns a question that was left open, or null. */
async function takeForms(
  { calls, context }: TurnCall,
  { progress }: FollowedTurn,
): Promise<Extract<Outcome, { kind: "question" }> | null> {
  const forms = context.mcpReq.inputResponses ?? {};
  for (const [id, question] of progress.questions) {
    const result = Object.hasOwn(forms, id) ? forms[id] : undefined;
    if (result === undefined) continue;
    if (!(await takeForm(calls, { id, options: question.options, result }))) return { kind: "question", question };
    progress.questions.delete(id);
  }
  return null;
}

/** Cancels the turn when the client cancels the request. Returns what ends that. */
function cancelOnAbort({ exchange: { cancelled } }: FollowContext, { leave, progress }: FollowedTurn): () => void {
  const cancel = () => {
    if (progress.end === null) leave();
  };
  if (cancelled.aborted) cancel();
  else cancelled.addEventListener("abort", cancel, { once: true });
  return () => cancelled.removeEventListener("abort", cancel);
}

/** Progress is the `seq` of the event: it rises, also over a stream that continues another one. */
function progressOf({ mcpReq }: ServerContext): (text: string, seq: number) => Promise<void> {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return async () => {};
  return (message, progress) =>
    mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, progress, message } });
}
