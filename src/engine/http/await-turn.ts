import type { EventJournal, EventRow } from "../turns/event-journal.ts";
import type { Inbox, NewMessage } from "../turns/inbox.ts";
import type { EventReader } from "./event-reader.ts";

/** Of one message, so that one read finds it. */
const MAX_TAKEN = 1_000_000;

/** Where the events begin that answer a message: at its turn's first one, or where it entered a running turn. */
export interface AnswerStart {
  readonly turnId: string;
  readonly afterSeq: number;
}

type MessageEnd =
  | ({ readonly kind: "taken" } & AnswerStart)
  /** Null: everything of the conversation was erased. */
  | { readonly kind: "removed"; readonly event: EventRow | null }
  | { readonly kind: "left" };

/** Waits, while the reader stays, until a turn has taken the message or it was removed. Heartbeats go on meanwhile. */
export function awaitTurn(
  { taskId, messageId }: Pick<NewMessage, "taskId" | "messageId">,
  reader: EventReader,
  { journal, inbox }: { readonly journal: EventJournal; readonly inbox: Inbox },
): Promise<MessageEnd> {
  return new Promise((resolve) => {
    let removal: EventRow | null = null;
    const look = () => {
      const fate = inbox.find({ taskId, messageId });
      if (fate?.state === "waiting") return;
      if (fate?.state === "taken" && fate.turnId !== null)
        finish({ kind: "taken", ...answerStart(journal, { turnId: fate.turnId, messageId }) });
      else finish({ kind: "removed", event: removal });
    };
    const finish = (end: MessageEnd) => {
      reader.upToDate = false;
      unsubscribe();
      unwatch();
      reader.closed.removeEventListener("abort", gone);
      resolve(end);
    };
    const gone = () => finish({ kind: "left" });
    const unsubscribe = journal.subscribe(taskId, (rows) => {
      const isOwn = (row: EventRow) => MESSAGE_ENDS.includes(row.type) && messageIdOf(row) === messageId;
      const end = rows.find(isOwn);
      if (end === undefined) return;
      if (end.type === "message_removed") removal = end;
      look();
    });
    const unwatch = inbox.whenErased(look);
    reader.closed.addEventListener("abort", gone, { once: true });
    reader.upToDate = true;
    if (reader.closed.aborted) gone();
    // The turn before may have ended since the message was stored.
    else look();
  });
}

/** Where the answer to a message begins. */
export function answerStart(
  journal: EventJournal,
  { turnId, messageId }: { readonly turnId: string; readonly messageId: string },
): AnswerStart {
  const rows = journal.read({ turnId, types: ["message_taken"], limit: MAX_TAKEN });
  const row = rows.find((one) => messageIdOf(one) === messageId);
  const steered = row !== undefined && (JSON.parse(row.data) as { how: string }).how === "steer";
  return { turnId, afterSeq: steered ? row.seq - 1 : 0 };
}

const MESSAGE_ENDS: readonly string[] = ["message_taken", "message_removed"];
const messageIdOf = ({ data }: EventRow): string => (JSON.parse(data) as { message_id: string }).message_id;
