import type { MessageContent } from "../../contract/engine/message-content.ts";
import type { ExecuteRequest } from "../../contract/engine/requests.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { UserContent } from "../attachments/user-content.ts";
import type { TaskBranches } from "../turns/task-branches.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";

/** What a call asks to answer: text or the last message of its task again, which need no files, or parts to store. */
export type Asked =
  | { readonly kind: "ready"; readonly message: UserContent }
  | { readonly kind: "parts"; readonly message: Exclude<MessageContent, string> };

/** Throws for both and for neither, and `TASK_BUSY` for a message that is being answered. */
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
  if (!regenerate) {
    if (message === undefined) throw new InvalidInput("message", "expected a message, or regenerate: true");
    return typeof message === "string" ? { kind: "ready", message } : { kind: "parts", message };
  }
  if (message !== undefined) throw new InvalidInput("regenerate", "expected no message with regenerate: true");
  runner.assertStartable(taskId);
  const last = branches.lastAsked(taskId);
  if (last === null)
    throw new InvalidInput(
      "regenerate",
      "expected a task whose last message is the user's; rewind it to a message of the user first",
    );
  return { kind: "ready", message: last };
}
