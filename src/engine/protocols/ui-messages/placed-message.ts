import type { TaskMessages } from "../../../contract/engine/task.ts";
import type { TaskMessage } from "../../../contract/engine/task-message.ts";
import type { ShownTurn } from "../../../contract/engine/turn.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { isMessageOf } from "../turn-message.ts";
import type { ChatRequest } from "./chat-request.ts";

/** The last messages of a conversation; one that is further back is not edited. */
const READ = 200;
/** Edits of one message. */
const MAX_EDITS = 100;

/** Where the message of a client is in the conversation. */
export interface Placed {
  readonly message: TaskMessage;
  readonly isLast: boolean;
  /** Whether no later turn has answered. */
  readonly isOfLastTurn: boolean;
}

/**
 * The ids under which a client's message is sent: its own, and for each edit the next. `known`: the last that was sent, with
 * the turn that took it. They are known for a day after the turn.
 */
export function sentIds(calls: EngineCalls, { taskId, message: { id } }: ChatRequest) {
  let known: { readonly id: string; readonly turnId: string | null } | null = null;
  for (let edit = 1; edit <= MAX_EDITS; edit++) {
    const messageId = edit === 1 ? id : `${id}.${edit}`;
    const sent = calls.sent(taskId, messageId);
    // A message of the stored conversation has no id of a client before its first edit.
    if (sent === null && (edit > 1 || !/^msg_\d+$/.test(id))) return { known, next: messageId };
    if (sent !== null) known = { id: messageId, turnId: sent.turnId };
  }
  throw calls.error("INVALID_REQUEST", `messageId: expected a message with fewer than ${MAX_EDITS} edits`);
}

/**
 * Finds a message of a client in the conversation: by its stored id, by the turn that took it, by the text of that turn,
 * which may have been answered again since, and by its place after the answer of a turn. Null when it is not there.
 */
export async function findPlace(
  calls: EngineCalls,
  { taskId, message, messages, place }: ChatRequest,
  { turnId, text }: { readonly turnId: string | null; readonly text: string | null },
): Promise<Placed | null> {
  const stored = await lastMessages(calls, taskId);
  const asked = stored.filter(({ role }) => role === "user");
  const taken = turnId === null ? null : await textOfTurn(calls, turnId);
  const found =
    asked.find(({ message_id: id }) => id === message.id) ??
    asked.findLast(({ turn_id: id }) => id === turnId) ??
    asked.findLast((one) => taken !== null && isMessageOf(textOf(one), taken)) ??
    afterAnchor(stored, messages.slice(0, place).toReversed()) ??
    asked.findLast((one) => text !== null && textOf(one) === text);
  return found === undefined
    ? null
    : {
        message: found,
        isLast: found === stored.at(-1),
        isOfLastTurn: found.turn_id === stored.at(-1)?.turn_id,
      };
}

/** Counts the messages of the user since the last answer that both sides have. */
function afterAnchor(stored: readonly TaskMessage[], before: ChatRequest["messages"]): TaskMessage | undefined {
  const away = before.findIndex(({ role }) => role === "assistant");
  const anchor = away === -1 ? -1 : stored.findLastIndex(({ turn_id: id }) => id === before[away]?.id);
  return anchor === -1 ? undefined : stored.slice(anchor + 1).filter(({ role }) => role === "user")[away];
}

async function lastMessages(calls: EngineCalls, taskId: string): Promise<readonly TaskMessage[]> {
  try {
    const query = { limit: String(READ) };
    return (await calls.call<TaskMessages>("listMessages", { path: { task_id: taskId }, query })).items;
  } catch (error) {
    if (calls.described(error).code === "NOT_FOUND") return [];
    throw error;
  }
}

async function textOfTurn(calls: EngineCalls, turnId: string): Promise<string | null> {
  const { message } = await calls.call<ShownTurn>("showTurn", { path: { turn_id: turnId } });
  return message === "" ? null : message;
}

const textOf = ({ parts }: TaskMessage): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
