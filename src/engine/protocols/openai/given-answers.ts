import type { PendingToolCall } from "../../../contract/engine/client-tool.ts";
import type { PendingRequest } from "../../../contract/engine/human-request.ts";
import type { TurnRecord } from "../../../contract/engine/turn.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { ALLOW, DENY, answerOf } from "./ask.ts";
import type { SentConversation } from "./sent-conversation.ts";
import { AnswerReader, type Ask } from "./turn-pieces.ts";

/** One of the answers that a turn has given so far. */
export interface GivenAnswer {
  /** It begins after this event. */
  readonly afterSeq: number;
  /** Its last event. */
  readonly seq: number;
  readonly asks: readonly Ask[];
  /** The calls that it left to the client. */
  readonly callIds: readonly string[];
  readonly isWaiting: boolean;
}

/** The answers of a turn as far as it is stored: one for each time that it waited for the client. */
export async function givenAnswers(calls: EngineCalls, turnId: string): Promise<readonly GivenAnswer[]> {
  const given: GivenAnswer[] = [];
  const reader = new AnswerReader();
  let afterSeq = 0;
  let asks: Ask[] = [];
  let callIds: string[] = [];
  for await (const rows of calls.read({ turnId, live: false }))
    for (const row of rows) {
      for (const piece of reader.read(row)) {
        if (piece.kind === "ask") asks.push(piece.ask);
        if (piece.kind === "call" && piece.call.isClients) callIds.push(piece.call.id);
      }
      if (reader.end === null) continue;
      given.push({ afterSeq, seq: row.seq, asks, callIds, isWaiting: reader.end.kind === "waits" });
      [afterSeq, asks, callIds] = [row.seq, [], []];
      reader.next();
    }
  return given;
}

export type Answered =
  /** The turn goes on. Its next answer begins after this event. */
  | { readonly kind: "goes_on"; readonly afterSeq: number }
  /** The message fits none of the options. */
  | { readonly kind: "ask_again"; readonly ask: Ask };

/** Answers what a turn waits for by what a client has sent. Null for a turn that waits for nothing. */
export async function answerTurn(
  calls: EngineCalls,
  turn: Pick<TurnRecord, "turn_id" | "state">,
  sent: Pick<SentConversation, "outputs" | "approvals"> & { readonly text: string },
): Promise<Answered | null> {
  const { turn_id: turnId, state } = turn;
  const { outputs, approvals, text } = sent;
  if (state !== "waiting_for_human" && outputs.length === 0 && approvals.length === 0) return null;
  const given = await givenAnswers(calls, turnId);
  if (outputs.length > 0) return { kind: "goes_on", afterSeq: await answerCalls(calls, given, { turnId, outputs }) };
  if (approvals.length > 0) {
    const asks = given.flatMap((one) => one.asks.map((ask) => ({ ...ask, seq: one.seq })));
    const asked = approvals.map(({ requestId }) => asks.findLast((ask) => ask.requestId === requestId));
    if (asked.some((ask) => ask?.kind !== "permission"))
      throw calls.error("HITL_NOT_FOUND", "input: the turn has no such approval request");
    for (const { requestId, isApproved } of approvals)
      await calls.call("respond", { body: { request_id: requestId, answer: isApproved ? ALLOW : DENY } });
    return { kind: "goes_on", afterSeq: Math.max(...asked.map((ask) => ask?.seq ?? 0)) };
  }
  const { requests } = await calls.call<{ readonly requests: readonly PendingRequest[] }>("pending");
  const open = new Set(requests.filter((one) => one.turn_id === turnId).map((one) => one.request_id));
  const asking = given.findLast(({ asks }) => asks.some(({ requestId }) => open.has(requestId)));
  const ask = asking?.asks.find(({ requestId }) => open.has(requestId));
  if (asking === undefined || ask === undefined) {
    await assertNoOpenCall(calls, turnId, new Set());
    return null;
  }
  const answer = answerOf(text, ask);
  if (answer === null) return { kind: "ask_again", ask };
  await calls.call("respond", { body: { request_id: ask.requestId, answer } });
  return { kind: "goes_on", afterSeq: asking.seq };
}

async function answerCalls(
  calls: EngineCalls,
  given: readonly GivenAnswer[],
  { turnId, outputs }: { readonly turnId: string } & Pick<SentConversation, "outputs">,
): Promise<number> {
  const ids = new Set(outputs.map(({ callId }) => callId));
  const calling = given.findLast(({ callIds }) => callIds.some((id) => ids.has(id)));
  if (calling === undefined)
    throw calls.error("INVALID_REQUEST", `call_id: no call of the turn has the id ${[...ids][0]?.slice(0, 100)}`);
  await assertNoOpenCall(calls, turnId, ids);
  for (const { callId, output } of outputs)
    if (calling.callIds.includes(callId)) await calls.call("respondTool", { body: { tool_call_id: callId, output } });
  return calling.seq;
}

/** A model gets the results of all calls of its answer at once. */
async function assertNoOpenCall(calls: EngineCalls, turnId: string, answered: ReadonlySet<string>): Promise<void> {
  const { calls: open } = await calls.call<{ readonly calls: readonly PendingToolCall[] }>("pendingTools");
  const left = open.find((one) => one.turn_id === turnId && !answered.has(one.tool_call_id));
  if (left !== undefined)
    throw calls.error("INVALID_REQUEST", `input: no output for the tool call ${left.tool_call_id} of ${left.tool}`);
}
