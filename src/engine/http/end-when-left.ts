import type { EventJournal } from "../turns/event-journal.ts";
import type { Inbox } from "../turns/inbox.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { answerStart } from "./await-turn.ts";
import type { Answer } from "./start-or-find.ts";

interface LeaveParts {
  readonly runner: Pick<TurnRunner, "cancel">;
  readonly inbox: Inbox;
  readonly journal: EventJournal;
}

/** Ends what a client that leaves has begun: its message if that waits, its turn if that runs. Nothing of another client. */
export function endBegun({ runner, inbox, journal }: LeaveParts, taskId: string, answer: Answer): void {
  const cancel = (turnId: string) => runner.cancel(taskId, { turnId, reason: "the client left" });
  if (answer.kind === "earlier") return;
  if (answer.kind === "started") {
    cancel(answer.turn.turnId);
    return;
  }
  const { message } = answer;
  const fate = inbox.find(message);
  if (fate?.state === "waiting") inbox.remove(taskId, message.messageId);
  // A turn that the message entered is another client's.
  else if (fate?.turnId && answerStart(journal, { ...message, turnId: fate.turnId }).afterSeq === 0)
    cancel(fate.turnId);
}
