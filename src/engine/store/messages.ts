import type { Store } from "./open-store.ts";

/** A message with its place: later ones have higher ids. */
export interface PlacedMessage extends StoredMessage {
  readonly id: number;
}

export interface StoredMessage {
  readonly turnId: string;
  readonly role: "user" | "assistant" | "tool";
  /** Whatever the agent put in, as it was put in. */
  readonly content: unknown;
  /** What was recalled from memory for a user's message: shown behind it, and no words of theirs. */
  readonly recalled?: string;
}

/** What a turn was shown of the memory, and how far all of it can be relied on. */
export interface StoredRecall {
  readonly block: string;
  readonly trust: number;
}

/**
 * Conversations, in order: what the model is shown is made from them, and from nothing else. A task's own has the
 * thread "", one inside a turn of it a name of its own.
 */
export class MessageTable {
  readonly #insert;
  readonly #select;
  readonly #answers;
  readonly #last;
  readonly #ofTurn;
  readonly #hasAnswer;
  readonly #delete;
  readonly #insertRecall;
  readonly #recallOf;
  readonly #deleteRecall;

  constructor({ db }: Store) {
    this.#insert = db.prepare("insert into messages (task_id, turn_id, role, content, thread) values (?, ?, ?, ?, ?)");
    this.#select = db.prepare(
      `select id, turn_id, role, content, block from messages left join recalls using (turn_id)
       where task_id = ? and thread = ? and id > ? order by id`,
    );
    this.#answers = db.prepare(
      "select count(*) as answers from messages where turn_id = ? and thread = ? and role = 'assistant'",
    );
    this.#last = db.prepare(
      "select turn_id, role, content from messages where turn_id = ? and thread = ? order by id desc limit 1",
    );
    this.#ofTurn = db.prepare("select turn_id, role, content, thread from messages where turn_id = ? order by id");
    this.#hasAnswer = db.prepare("select 1 from messages where turn_id = ? and role <> 'user' limit 1");
    this.#delete = db.prepare("delete from messages where turn_id = ? and role = 'user'");
    this.#insertRecall = db.prepare("insert into recalls (turn_id, block, trust, created_at) values (?, ?, ?, ?)");
    this.#recallOf = db.prepare("select block, trust from recalls where turn_id = ?");
    this.#deleteRecall = db.prepare("delete from recalls where turn_id = ?");
  }

  append(taskId: string, { turnId, role, content }: StoredMessage, thread = ""): void {
    this.#insert.run(taskId, turnId, role, JSON.stringify(content), thread);
  }

  /** `afterId`: only what came behind that message. */
  ofTask(taskId: string, thread = "", afterId = 0): PlacedMessage[] {
    return this.#select.all(taskId, thread, afterId).map((row) => ({
      id: Number(row["id"]),
      ...storedMessage(row),
      ...(thread === "" && row["role"] === "user" && row["block"] !== null && { recalled: String(row["block"]) }),
    }));
  }

  /** From now on the turn's message is shown with it, byte for byte. */
  recalled(turnId: string, { block, trust }: StoredRecall, now: number): void {
    this.#insertRecall.run(turnId, block, trust, now);
  }

  recallOf(turnId: string): StoredRecall | null {
    const row = this.#recallOf.get(turnId);
    return row === undefined ? null : { block: String(row["block"]), trust: Number(row["trust"]) };
  }

  /** All that was said in a turn, in every conversation of it. */
  ofTurn(turnId: string): (StoredMessage & { readonly thread: string })[] {
    return this.#ofTurn.all(turnId).map((row) => ({ ...storedMessage(row), thread: String(row["thread"]) }));
  }

  /** How far a turn has come: the model's answers in it, and what was said last (null: nothing yet). */
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

  /** Takes back the user message of a turn that came to nothing. */
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
