import type { MessageContent } from "../../contract/engine/message-content.ts";
import { type ExecuteRequest, executeMessageRequest, executeRequest } from "../../contract/engine/requests.ts";
import { isRecord } from "../../shared/json-values.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { UserContent } from "../attachments/user-content.ts";
import type { TaskBranches } from "../turns/task-branches.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";

/** The schema of a call's body. A body without `regenerate: true` must have a message. */
export const requestOf = (body: unknown): typeof executeRequest | typeof executeMessageRequest =>
  isRecord(body) && body["regenerate"] === true ? executeRequest : executeMessageRequest;

/** A message that is answered again has no id of the caller and does not wait. */
export function withoutWaiting({ when_busy: whenBusy = "reject", interrupt, message_id: id }: ExecuteRequest): null {
  if (whenBusy !== "reject") throw new InvalidInput("when_busy", "expected reject with regenerate: true");
  if (interrupt === true) throw new InvalidInput("interrupt", "expected only with when_busy steer");
  if (id !== undefined) throw new InvalidInput("message_id", "expected none with regenerate: true");
  return null;
}

/** What a call asks to answer: text or the last message of its task again, which need no files, or parts to store. */
export type Asked =
  | { readonly kind: "ready"; readonly message: UserContent }
  | { readonly kind: "parts"; readonly message: Exclude<MessageContent, string> };

/**
 * Only `regenerate: true` goes without a message, as {@link requestOf} has checked. Throws for both, and `TASK_BUSY` for a
 * message that is being answered.
 */
export function askedMessage(
  { message, regenerate = false, task_id: taskId }: ExecuteRequest,
  {
    runner,
    branches,
  }: {
    readonly runner: Pick<TurnRunner, "assertStartable">;
    readonly branches: Pick<TaskBranches, "lastAsked">;
  },
): Asked {
  if (message !== undefined) {
    if (regenerate) throw new InvalidInput("regenerate", "expected no message with regenerate: true");
    return typeof message === "string" ? { kind: "ready", message } : { kind: "parts", message };
  }
  runner.assertStartable(taskId);
  const last = branches.lastAsked(taskId);
  if (last === null)
    throw new InvalidInput(
      "regenerate",
      "expected a task whose last message is the user's; rewind it to a message of the user first",
    );
  return { kind: "ready", message: last };
}
