import { randomUUID } from "node:crypto";
import { type EngineCalls, type Events, eventOf } from "../engine-calls.ts";
import { lastTurn } from "../last-turn.ts";
import type { StreamPosition } from "./event-id.ts";
import type { Exchange } from "./exchange.ts";
import { TurnProgress } from "./ask-progress.ts";

export interface AskedMessage {
  readonly message?: string | undefined;
  readonly task_id?: string | undefined;
  readonly agent?: string | undefined;
  readonly message_id?: string | undefined;
}

/** A turn that a request waits for. */
export interface FollowedTurn {
  readonly taskId: string;
  readonly progress: TurnProgress;
  /** Events after those that `progress` has taken. Null when the turn has ended. */
  readonly events: Events | null;
  /** Ends the turn, or the message that waits for one. */
  readonly leave: () => unknown;
}

export interface FollowContext {
  readonly calls: EngineCalls;
  readonly exchange: Exchange;
}

/** Sends the message, or without one takes the task's last turn. */
export async function startTurn(asked: AskedMessage, { calls, exchange }: FollowContext): Promise<FollowedTurn> {
  const { message, task_id: task = `mcp-${randomUUID()}` } = asked;
  if (message === undefined) {
    if (asked.task_id === undefined) throw calls.error("INVALID_REQUEST", "message: expected a message or a task_id");
    const turn = (await lastTurn(calls, task))?.turn_id;
    if (turn === undefined) throw calls.error("NOT_FOUND", "task_id: the task has no turn; send a message");
    return attachTurn({ task, turn }, { calls, exchange });
  }
  const messageId = asked.message_id ?? `mcp-${randomUUID()}`;
  await exchange.reached({ task, message: messageId, seq: 0 });
  const sent = await calls.send({ ...asked, task_id: task, message, message_id: messageId });
  if (sent.isReplayed && sent.turnId !== null) return attachTurn({ task, turn: sent.turnId }, { calls, exchange });
  if (sent.turnId !== null) await exchange.reached({ task, message: messageId, turn: sent.turnId, seq: 0 });
  return { taskId: task, progress: new TurnProgress(), events: sent.events, leave: sent.leave };
}

/** Takes what is stored of a turn, and reads on from there. */
export async function attachTurn(
  { task, turn, seq = 0 }: { readonly task: string; readonly turn: string; readonly seq?: number },
  { calls, exchange }: FollowContext,
): Promise<FollowedTurn> {
  const progress = new TurnProgress();
  for await (const rows of calls.read({ taskId: task, turnId: turn, live: false }))
    for (const row of rows) progress.take(row);
  await exchange.reached({ task, turn, seq });
  const leave = () => calls.cancelTurn(task, turn);
  if (progress.end !== null) return { taskId: task, progress, events: null, leave };
  const events = calls.read({ taskId: task, turnId: turn, afterSeq: progress.seq, live: true });
  return { taskId: task, progress, events, leave };
}

/** Continues where the stream of the same request was cut. */
export async function resumeTurn(position: StreamPosition, context: FollowContext): Promise<FollowedTurn> {
  const { task, message, seq } = position;
  const turn = position.turn ?? (message === undefined ? null : await turnOfMessage(context.calls, { task, message }));
  if (turn === null)
    throw context.calls.error("NOT_FOUND", "Last-Event-ID: the message of this stream was not stored; send it again");
  return attachTurn({ task, turn, seq }, context);
}

async function turnOfMessage(
  calls: EngineCalls,
  { task, message }: { readonly task: string; readonly message: string },
): Promise<string | null> {
  for await (const rows of calls.read({ taskId: task, live: false, groups: ["message"] }))
    for (const row of rows) {
      const { event, data } = eventOf(row);
      if (event === "message_taken" && data.message_id === message) return row.turnId;
    }
  return null;
}
