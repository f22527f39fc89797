import { Table } from "./table.ts";

/** A message with its id. Later messages have higher ids. */
export interface MessageRow extends StoredMessage {
  readonly id: number;
}

export interface StoredMessage {
  readonly turnId: string;
  readonly role: "user" | "assistant" | "tool";
  /** JSON of the agent room. */
  readonly content: unknown;
  /** Memories recalled for a user message, shown after it. */
  readonly recalled?: string;
}

/** The memories that a turn was shown, and their least trust. */
export interface StoredRecall {
  readonly block: string;
  readonly trust: number;
}

/** The message that began a turn. Others of the user entered it later. */
const FIRST_OF_TURN = `select min(first.id) from messages first
  where first.turn_id = messages.turn_id and first.thread = '' and first.role = 'user'`;

/** The messages of conversations, in order. A task's conversation has the thread "", a nested one its own name. */
export class MessageTable extends Table {
  readonly #insert = this.db.prepare(
    "insert into messages (task_id, turn_id, role, content, thread) values (?, ?, ?, ?, ?)",
  );
  /** What was recalled is shown with the message that began the turn. */
  readonly #select = this.db.prepare(
    `select id, turn_id, role, content, iif(block is not null and role = 'user' and id = (${FIRST_OF_TURN}), block, null) as block
     from messages left join recalls using (turn_id) where task_id = ? and thread = ? and id > ? order by id`,
  );
  readonly #answers = this.db.prepare(
    "select count(*) as answers from messages where turn_id = ? and thread = ? and role = 'assistant'",
  );
  readonly #last = this.db.prepare(
    "select turn_id, role, content from messages where turn_id = ? and thread = ? order by id desc limit 1",
  );
  readonly #ofTurn = this.db.prepare(
    "select turn_id, role, content, thread from messages where turn_id = ? order by id",
  );
  readonly #hasAnswer = this.db.prepare("select 1 from messages where turn_id = ? and role <> 'user' limit 1");
  readonly #delete = this.db.prepare(`delete from messages where turn_id = ? and id = (${FIRST_OF_TURN})`);
  readonly #insertRecall = this.db.prepare(
    "insert into recalls (turn_id, block, trust, created_at) values (?, ?, ?, ?)",
  );
  readonly #recallOf = this.db.prepare("select block, trust from recalls where turn_id = ?");
  readonly #deleteRecall = this.db.prepare("delete from recalls where turn_id = ?");

  append(taskId: string, { turnId, role, content }: StoredMessage, thread = ""): void {
    this.#insert.run(taskId, turnId, role, JSON.stringify(content), thread);
  }

  /** `afterId`: only messages after that id. */
  ofTask(taskId: string, thread = "", afterId = 0): MessageRow[] {
    return this.#select.all(taskId, thread, afterId).map((row) => ({
      id: Number(row["id"]),
      ...storedMessage(row),
      ...(thread === "" && row["role"] === "user" && row["block"] !== null && { recalled: String(row["block"]) }),
    }));
  }

  /** Stores the block that is shown, byte for byte, with the turn's message. */
  recalled(turnId: string, { block, trust }: StoredRecall, now: number): void {
    this.#insertRecall.run(turnId, block, trust, now);
  }

  recallOf(turnId: string): StoredRecall | null {
    const row = this.#recallOf.get(turnId);
    return row === undefined ? null : { block: String(row["block"]), trust: Number(row["trust"]) };
  }

  /** All messages of a turn, nested conversations included. */
  ofTurn(turnId: string): (StoredMessage & { readonly thread: string })[] {
    return this.#ofTurn.all(turnId).map((row) => ({ ...storedMessage(row), thread: String(row["thread"]) }));
  }

  /** Number of model answers in a turn, and its last message (null when it has none). */
  progress(turnId: string, thread: string): { readonly answers: number; readonly last: StoredMessage | null } {
    const last = this.#last.get(turnId, thread);
    return {
      answers: Number(this.#answers.get(turnId, thread)?.["answers"]),
      last: last === undefined ? null : storedMessage(last),
    };
  }

  hasAnswer(turnId: string): boolean {
    return this.#hasAnswer.get(turnId) !== undefined;
  }

  /** Deletes the message that began a turn that failed without an answer. Those that entered it later stay. */
  withdraw(turnId: string): void {
    this.#delete.run(turnId);
    this.#deleteRecall.run(turnId);
  }
}

const storedMessage = (row: Record<string, unknown>): StoredMessage => ({
  turnId: String(row["turn_id"]),
  role: row["role"] as StoredMessage["role"],
  content: JSON.parse(String(row["content"])) as unknown,
});
