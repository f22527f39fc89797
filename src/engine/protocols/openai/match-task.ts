import { createHash, randomBytes } from "node:crypto";
import type { TurnRecord } from "../../../contract/engine/turn.ts";
import type { ContextItem } from "../../../contract/engine/turn-context.ts";
import { MAX_CONTEXT_BYTES } from "../../../contract/engine/turn-context.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { lastTurn } from "../last-turn.ts";
import { isMessageOf, plain } from "../turn-message.ts";
import type { Line } from "./sent-conversation.ts";
import { type StoredLine, covered, storedLines } from "./stored-lines.ts";

/** How long a repeated call finds the turn that the first one has started. Clients give up before. */
const REPEATED_MS = 15 * 60_000;
/** Conversations with one first message that are compared with what a client sent. */
const MAX_COMPARED = 20;

export type Found =
  | { readonly kind: "task"; readonly taskId: string; readonly context: readonly ContextItem[] }
  /** An earlier try of this call started it. */
  | { readonly kind: "turn"; readonly turnId: string };

interface Wanted {
  readonly history: readonly Line[];
  /** The user's new message. */
  readonly text: string;
  /** Whether the client says that it repeats the call. */
  readonly isRepeated: boolean;
}

/** The prefix of the ids of conversations that begin with this message. */
const prefixOf = (first: string): string =>
  `openai-${createHash("sha256").update(plain(first)).digest("hex").slice(0, 16)}-`;
const newTaskId = (first: string): string => prefixOf(first) + randomBytes(6).toString("hex");

/**
 * The task of a client that sends the whole conversation with each call: the one whose messages are those it sends. Where
 * that one has gone on since, a fork of it; without one, a new task.
 */
export async function findTask(calls: EngineCalls, wanted: Wanted): Promise<Found> {
  const { history, text, isRepeated } = wanted;
  const first = history.find(({ role }) => role === "user")?.text ?? text;
  const isNew = history.length === 0;
  const candidates = isNew && !isRepeated ? [] : calls.tasksWithPrefix(prefixOf(first), MAX_COMPARED);
  let fork: { readonly taskId: string; readonly after: StoredLine } | null = null;
  for (const taskId of candidates) {
    const stored = await storedLines(calls, taskId);
    const found = stored === null ? null : covered(history, stored);
    if (stored === null || found === null) continue;
    const next = stored[found.count];
    if (isRepeated && next !== undefined && plain(next.text) === plain(text)) {
      const turn = await recentTurn(calls, next.turnId);
      if (turn !== null) return { kind: "turn", turnId: turn.turn_id };
    }
    if (isNew) continue;
    const last = stored[found.count - 1];
    // A client that does not know how a question was answered elsewhere goes on with the whole conversation.
    if (next === undefined || found.endsWithin) return { kind: "task", taskId, context: [] };
    if (last !== undefined) fork ??= { taskId, after: last };
  }
  const taskId = newTaskId(first);
  if (fork === null) return { kind: "task", taskId, context: isNew ? [] : [earlierMessages(calls, history)] };
  await calls.call("forkTask", {
    path: { task_id: fork.taskId },
    body: { after_message: fork.after.messageId, task_id: taskId },
  });
  return { kind: "task", taskId, context: [] };
}

/** The turn that an earlier try of a call has started in this task. Null without one. */
export async function repeatedTurn(calls: EngineCalls, taskId: string, text: string): Promise<string | null> {
  const turn = await lastTurn(calls, taskId);
  if (turn === null || !isMessageOf(text, turn.message)) return null;
  return isRecent(turn) ? turn.turn_id : null;
}

/** Null for one that failed, or is not of a repeated call. */
export async function recentTurn(calls: EngineCalls, turnId: string): Promise<TurnRecord | null> {
  const turn = await calls.call<TurnRecord>("showTurn", { path: { turn_id: turnId } });
  return isRecent(turn) ? turn : null;
}

/** One that failed may be tried again. */
const isRecent = ({ started_at: startedAt, state }: TurnRecord): boolean =>
  state !== "errored" && Date.now() - Date.parse(startedAt) < REPEATED_MS;

/** What the model is told of a conversation that the engine does not have. */
function earlierMessages(calls: EngineCalls, history: readonly Line[]): ContextItem {
  const content = history.map(({ role, text }) => `${role}: ${text}`).join("\n\n");
  const name = "earlier_messages";
  if (Buffer.byteLength(content) + name.length > MAX_CONTEXT_BYTES)
    throw calls.error(
      "INVALID_REQUEST",
      `messages: expected a conversation of this engine, or at most ${MAX_CONTEXT_BYTES / 1024} KiB of other messages`,
    );
  return { name, content, ttl: "task" };
}
