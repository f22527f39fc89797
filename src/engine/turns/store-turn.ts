import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import { withContext } from "../attachments/message-context.ts";
import { contentText } from "../attachments/user-content.ts";
import type { TurnTrace } from "../telemetry/engine-telemetry.ts";
import type { TurnParts, TurnStart } from "./turn.ts";

/**
 * Stores a turn and its message. When a client retries a turn that failed without an answer, the earlier copy of the
 * message is deleted, so that the model reads it once. A message that is answered again begins a branch without the earlier
 * copy.
 */
export function storeTurn(
  { tasks, turns, messages, conversations }: Pick<TurnParts, "tasks" | "turns" | "messages" | "conversations">,
  { task_id: taskId, message: written, metadata = {}, context = [], ...options }: TurnStart,
  { turnId, trace }: { readonly turnId: string; readonly trace: TurnTrace | undefined },
): void {
  // Attachments are compared by their digests, which their paths begin with.
  const message = contentText(written);
  const now = Date.now();
  const asked = options.regenerate === true ? conversations.lastUpTo(taskId) : null;
  const last = turns.lastEnded(taskId);
  if (last !== null && last.errorCode !== null && last.message === message && !messages.hasAnswer(last.turnId)) {
    messages.withdraw(taskId, last.turnId);
  }
  if (asked !== null && conversations.find(taskId, asked.id) !== null) {
    const before = conversations.lastUpTo(taskId, asked.id - 1);
    tasks.continueFrom(taskId, conversations.prefixTo(taskId, before), now);
  }
  const content = withContext(written, context, () => messages.ofTask(taskId));
  const request = { ...options, ...(trace && { trace }) };
  turns.insert({ turnId, taskId, message, metadata, request, startedAt: now });
  tasks.turnStarted(taskId, { agent: options.agent ?? DEFAULT_AGENT, message, at: now });
  messages.append(taskId, { turnId, role: "user", content }, "", now);
}
