import type { WhenBusy } from "../../contract/engine/when-busy.ts";
import { Table } from "./table.ts";

/** A message with an id, as it was sent. */
export interface NewMessage {
  readonly taskId: string;
  readonly messageId: string;
  readonly bodyHash: string;
  readonly whenBusy: WhenBusy;
}

/** A message that waits. Later ones have higher ids. */
export interface WaitingRow extends NewMessage {
  readonly id: number;
  /** JSON of the attachments room. */
  readonly content: unknown;
  /** Options of the turn that it starts. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
}

/** What became of a message. */
export interface MessageFate {
  readonly id: number;
  readonly bodyHash: string;
  readonly state: "waiting" | "taken" | "removed";
  /** The turn that has taken it. */
  readonly turnId: string | null;
}

/**
 * Messages of callers that have an id or may wait. A row leaves `waiting` once: its statement changes only a row that
 * waits, in the transaction of what takes it.
 */
export class InboxTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into inbox (task_id, message_id, body_hash, when_busy, state, content, options, created_at)
     values (?, ?, ?, ?, 'waiting', ?, ?, ?)`,
  );
  readonly #insertTaken = this.db.prepare(
    `insert into inbox (task_id, message_id, body_hash, when_busy, state, created_at, turn_id, ended_at)
     values (?1, ?2, ?3, ?4, 'taken', ?5, ?6, ?5)`,
  );
  readonly #find = this.db.prepare(
    "select id, body_hash, state, turn_id from inbox where task_id = ? and message_id = ?",
  );
  readonly #waiting = this.db.prepare("select * from inbox where task_id = ? and state = 'waiting' order by id");
  readonly #next = this.db.prepare("select * from inbox where task_id = ? and state = 'waiting' order by id limit 1");
  readonly #steering = this.db.prepare(
    "select * from inbox where task_id = ? and state = 'waiting' and when_busy = 'steer' order by id",
  );
  readonly #countThrough = this.db.prepare(
    "select count(*) as n from inbox where task_id = ? and state = 'waiting' and id <= ?",
  );
  /** The content of an ended row is where the message went, or nowhere. */
  readonly #end = this.db.prepare(
    `update inbox set state = ?, turn_id = ?, ended_at = ?, content = null, options = null
     where id = ? and state = 'waiting'`,
  );

  insert(message: NewMessage, { content, options }: Pick<WaitingRow, "content" | "options">, now: number): void {
    const { taskId, messageId, bodyHash, whenBusy } = message;
    this.#insert.run(taskId, messageId, bodyHash, whenBusy, JSON.stringify(content), JSON.stringify(options), now);
  }

  /** Stores a message whose turn starts at once. */
  insertTaken({ taskId, messageId, bodyHash, whenBusy }: NewMessage, turnId: string, now: number): void {
    this.#insertTaken.run(taskId, messageId, bodyHash, whenBusy, now, turnId);
  }

  find(taskId: string, messageId: string): MessageFate | null {
    const row = this.#find.get(taskId, messageId);
    if (row === undefined) return null;
    return {
      id: Number(row["id"]),
      bodyHash: String(row["body_hash"]),
      state: row["state"] as MessageFate["state"],
      turnId: row["turn_id"] === null ? null : String(row["turn_id"]),
    };
  }

  /** The waiting messages of a task, the oldest first. */
  waiting(taskId: string): WaitingRow[] {
    return this.#waiting.all(taskId).map(waitingRow);
  }

  next(taskId: string): WaitingRow | null {
    const row = this.#next.get(taskId);
    return row === undefined ? null : waitingRow(row);
  }

  /** The waiting messages that are for the running turn, the oldest first. */
  steering(taskId: string): WaitingRow[] {
    return this.#steering.all(taskId).map(waitingRow);
  }

  /** Number of waiting messages of a task, up to an id. */
  count(taskId: string, throughId = Number.MAX_SAFE_INTEGER): number {
    return Number(this.#countThrough.get(taskId, throughId)?.["n"]);
  }

  /** The tasks with waiting messages, the one that waits longest first. */
  tasks(): string[] {
    return this.db
      .prepare("select task_id from inbox where state = 'waiting' group by task_id order by min(id)")
      .all()
      .map((row) => String(row["task_id"]));
  }

  change(id: number, { content, whenBusy }: { readonly content?: unknown; readonly whenBusy?: string }): void {
    const text = content === undefined ? null : JSON.stringify(content);
    this.db
      .prepare(
        `update inbox set content = coalesce(?, content), when_busy = coalesce(?, when_busy)
         where id = ? and state = 'waiting'`,
      )
      .run(text, whenBusy ?? null, id);
  }

  /** Throws when the message does not wait: the transaction that would use it is rolled back. */
  take(id: number, turnId: string, now: number): void {
    if (this.#end.run("taken", turnId, now, id).changes !== 1) throw new Error(`message ${id} does not wait`);
  }

  remove(id: number, now: number): void {
    this.#end.run("removed", null, now, id);
  }

  /** Deletes the rows of messages that ended before. */
  prune(before: number): void {
    this.db.prepare("delete from inbox where state <> 'waiting' and ended_at < ?").run(before);
  }
}

const waitingRow = (row: Record<string, unknown>): WaitingRow => ({
  id: Number(row["id"]),
  taskId: String(row["task_id"]),
  messageId: String(row["message_id"]),
  bodyHash: String(row["body_hash"]),
  whenBusy: row["when_busy"] as WhenBusy,
  content: JSON.parse(String(row["content"])) as unknown,
  options: JSON.parse(String(row["options"])) as Record<string, unknown>,
  createdAt: Number(row["created_at"]),
});
