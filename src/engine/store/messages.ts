import type { Store } from "./open-store.ts";

export interface StoredMessage {
  readonly turnId: string;
  readonly role: "user" | "assistant" | "tool";
  /** Whatever the agent put in, as it was put in. */
  readonly content: unknown;
}

/** A task's conversation, in order: what the model is shown is made from it, and from nothing else. */
export class MessageTable {
  readonly #insert;
  readonly #select;
  readonly #hasAnswer;
  readonly #delete;

  constructor({ db }: Store) {
    this.#insert = db.prepare("insert into messages (task_id, turn_id, role, content) values (?, ?, ?, ?)");
    this.#select = db.prepare("select turn_id, role, content from messages where task_id = ? order by id");
    this.#hasAnswer = db.prepare("select 1 from messages where turn_id = ? and role <> 'user' limit 1");
    this.#delete = db.prepare("delete from messages where turn_id = ? and role = 'user'");
  }

  append(taskId: string, { turnId, role, content }: StoredMessage): void {
    this.#insert.run(taskId, turnId, role, JSON.stringify(content));
  }

  ofTask(taskId: string): StoredMessage[] {
    return this.#select.all(taskId).map((row) => ({
      turnId: String(row["turn_id"]),
      role: row["role"] as StoredMessage["role"],
      content: JSON.parse(String(row["content"])) as unknown,
    }));
  }

  hasAnswer(turnId: string): boolean {
    return this.#hasAnswer.get(turnId) !== undefined;
  }

  /** Takes back the user message of a turn that came to nothing. */
  withdraw(turnId: string): void {
    this.#delete.run(turnId);
  }
}
