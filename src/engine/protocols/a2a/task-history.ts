import type { TaskMessage, TaskMessagePart } from "../../../contract/engine/task-message.ts";
import type { ShownTurn } from "../../../contract/engine/turn.ts";

/** What was said in a turn: messages of the user, questions and their answers. What the agent made is in artifacts. */
export function historyOf(
  { turn_id: taskId, task_id: contextId }: Pick<ShownTurn, "turn_id" | "task_id">,
  messages: readonly TaskMessage[],
): readonly object[] {
  const ids = { contextId, taskId };
  return messages.flatMap(({ message_id: messageId, role, parts }): object[] => {
    if (role === "user") return [{ messageId, ...ids, role: "ROLE_USER", parts: parts.flatMap(userPart) }];
    return parts.flatMap((part) => (part.type === "question" ? askedAndAnswered(part, ids) : []));
  });
}

function userPart(part: TaskMessagePart): readonly object[] {
  if (part.type === "text") return [{ text: part.text }];
  if (part.type !== "attachment") return [];
  const { name: filename, media_type: mediaType, path, digest, bytes } = part;
  return [{ data: { path, digest, bytes }, filename, mediaType }];
}

function askedAndAnswered(
  { request_id: id, question, options, answer }: Extract<TaskMessagePart, { type: "question" }>,
  ids: object,
): readonly object[] {
  const choice = options.length === 0 ? "" : `\nOptions: ${options.join(", ")}`;
  const asked = { messageId: id, ...ids, role: "ROLE_AGENT", parts: [{ text: question + choice }] };
  if (answer === null) return [asked];
  return [asked, { messageId: `${id}.answer`, ...ids, role: "ROLE_USER", parts: [{ text: answer }] }];
}
