import { MAX_WAITING } from "../../contract/engine/inbox-limits.ts";
import type { UserContent } from "../attachments/user-content.ts";
import { EngineError } from "../engine-error.ts";
import type { InboxTable, MessageFate, NewMessage, WaitingRow } from "../store/inbox-table.ts";
import type { TurnTable } from "../store/turns.ts";
import type { EventJournal, JournalEvent } from "./event-journal.ts";
import type { TaskSlots } from "./task-slots.ts";

export type { NewMessage, WaitingRow } from "../store/inbox-table.ts";

type MessageName = Pick<NewMessage, "taskId" | "messageId">;

interface InboxParts {
  readonly table: InboxTable;
  readonly journal: EventJournal;
  readonly slots: Pick<TaskSlots, "get">;
  readonly turns: Pick<TurnTable, "lastOf">;
}

/**
 * The messages that wait, by task. Each change is one transaction with its event. Turns take messages from here and from
 * nowhere else, so that a restart changes nothing.
 */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #watchers = new Set<() => void>();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /**
   * What became of a message; null when there is none. `bodyHash`: of a call that repeats it. Throws
   * `IDEMPOTENCY_CONFLICT`.
   */
  find({ taskId, messageId, bodyHash }: MessageName & { readonly bodyHash?: string }): MessageFate | null {
    const found = this.#parts.table.find(taskId, messageId);
    if (found !== null && bodyHash !== undefined && found.bodyHash !== bodyHash)
      throw new EngineError("IDEMPOTENCY_CONFLICT", "message_id: the task has a message with this id and another body");
    return found;
  }

  /** Lets a message wait, and returns its place. Throws `INBOX_FULL`. */
  add(message: NewMessage, row: { readonly content: UserContent; readonly options: WaitingRow["options"] }): number {
    const { table } = this.#parts;
    const { taskId } = message;
    const position = table.count(taskId) + 1;
    if (position > MAX_WAITING)
      throw new EngineError("INBOX_FULL", `${MAX_WAITING} messages wait in the task's inbox already`);
    this.#commit(taskId, queued(message, position), () => table.insert(message, row, Date.now()));
    return position;
  }

  /** The place of a waiting message among those of its task, from 1. */
  position(taskId: string, id: number): number {
    return this.#parts.table.count(taskId, id);
  }

  list(taskId: string): readonly WaitingRow[] {
    return this.#parts.table.waiting(taskId);
  }

  next(taskId: string): WaitingRow | null {
    return this.#parts.table.next(taskId);
  }

  /** The tasks with messages that wait. */
  tasks(): readonly string[] {
    return this.#parts.table.tasks();
  }

  /** Throws `NOT_FOUND`, `MESSAGE_TAKEN` and `MESSAGE_REMOVED` unless the message waits. */
  waiting(taskId: string, messageId: string): WaitingRow {
    const row = this.#parts.table.waiting(taskId).find((one) => one.messageId === messageId);
    if (row !== undefined) return row;
    const fate = this.#parts.table.find(taskId, messageId);
    if (fate === null) throw new EngineError("NOT_FOUND", "message_id: the task has no message with this id");
    if (fate.state === "removed") throw removed();
    throw new EngineError("MESSAGE_TAKEN", "a turn has taken the message", { turn_id: fate.turnId });
  }

  /** Changes a message that waits. */
  change(
    taskId: string,
    messageId: string,
    wanted: { readonly content?: UserContent; readonly whenBusy?: "queue" | "steer" },
  ): void {
    const row = this.waiting(taskId, messageId);
    const { whenBusy = row.whenBusy } = wanted;
    this.#commit(taskId, queued({ ...row, whenBusy }, this.position(taskId, row.id)), () =>
      this.#parts.table.change(row.id, wanted),
    );
  }

  /** Removes a message that waits. Repeated, it changes nothing. */
  remove(taskId: string, messageId: string): void {
    if (this.#parts.table.find(taskId, messageId)?.state === "removed") return;
    this.#remove(this.waiting(taskId, messageId));
  }

  /** Removes all messages of a task that wait. Returns their number. */
  clear(taskId: string): number {
    const rows = this.list(taskId);
    for (const row of rows) this.#remove(row);
    return rows.length;
  }

  /** Removes the messages that waited for a client whose connection ended with an earlier process. */
  removeLeft(): void {
    for (const taskId of this.tasks())
      for (const row of this.list(taskId)) if (row.options["on_disconnect"] === "cancel") this.#remove(row);
  }

  /** Stores a message that starts a turn at once. Runs in the transaction that stores the turn. */
  startedBy(message: NewMessage, turnId: string): void {
    this.#parts.table.insertTaken(message, turnId, Date.now());
  }

  /** Marks a waiting message as taken. Runs in the transaction that stores the turn or the message in it. */
  take({ id }: WaitingRow, turnId: string): void {
    this.#parts.table.take(id, turnId, Date.now());
  }

  /** The messages of a task that wait for its running turn, the oldest first. */
  steering(taskId: string): readonly WaitingRow[] {
    return this.#parts.table.steering(taskId);
  }

  /** Calls back when all conversations were erased. Returns the undo. */
  whenErased(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** To be called after the tables were emptied. */
  erased(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #remove({ id, taskId, messageId }: WaitingRow): void {
    const event = { event: "message_removed", data: { message_id: messageId } } as const;
    this.#commit(taskId, event, () => this.#parts.table.remove(id, Date.now()));
  }

  /** Stores a change with its event, which belongs to the task's turn in flight, or else to its last one. */
  #commit(taskId: string, event: JournalEvent, work: () => void): void {
    const { journal, slots, turns } = this.#parts;
    const turnId = slots.get(taskId)?.turnId || (turns.lastOf(taskId) ?? "");
    journal.commitEvent({ taskId, turnId, event }, work);
  }
}

export const removed = (): EngineError =>
  new EngineError("MESSAGE_REMOVED", "the message was removed before a turn took it");

/** The event of a message that a turn takes. */
export const taken = ({ messageId }: NewMessage, how: "turn" | "steer"): JournalEvent => ({
  event: "message_taken",
  data: { message_id: messageId, how },
});

const queued = ({ messageId, whenBusy }: NewMessage, position: number): JournalEvent => ({
  event: "message_queued",
  data: { message_id: messageId, position, when_busy: whenBusy === "steer" ? "steer" : "queue" },
});
