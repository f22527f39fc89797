import type { Prefix } from "./branches.ts";
import { Table } from "./table.ts";
import type { TaskRow } from "./tasks.ts";

/** A message that is not indexed yet. */
export interface UnindexedMessage {
  readonly id: number;
  readonly branch: number;
  readonly role: "user" | "assistant" | "tool";
  readonly content: unknown;
}

/** A message that matches, or the title of the task with the number `id`: its branch is 0. */
export interface Hit {
  readonly branch: number;
  readonly id: number;
}

/** Row ids below this are numbers of tasks, for their titles. A message has its branch in the higher bits. */
const TITLES_BELOW = 2 ** 32;

/**
 * The full-text index of what was said, and of titles that are no first words. It holds terms only. What is indexed is
 * behind the messages: {@link behind} tells how many, so that an index entry costs no turn its time.
 */
export class MessageIndex extends Table {
  readonly #unindexed = this.db.prepare(
    "select id, branch, role, content from messages where id > ? and branch is not null order by id limit ?",
  );
  readonly #insert = this.db.prepare("insert into messages_index (rowid, text) values ((? << 32) | ?, ?)");
  readonly #remove = this.db.prepare("delete from messages_index where rowid = ?");
  readonly #clear = this.db.prepare("insert into messages_index (messages_index) values ('delete-all')");
  readonly #titlesAfter = this.db.prepare(
    `select number, title from tasks
     where number > ? and (title_source <> 'first_words' or parent_task_id is not null) order by number limit ?`,
  );
  readonly #lastMessage = this.db.prepare("select max(id) as id from messages");
  readonly #hits = this.db.prepare(
    `select rowid >> 32 as branch, rowid & 4294967295 as id from messages_index where messages_index match ? limit ?`,
  );
  /** Tasks whose conversation has a match: on its branch, or before the cut of an ancestor. */
  readonly #tasks = this.db.prepare(
    `with recursive reached (branch_id, first) as (
       select value ->> 0, value ->> 1 from json_each(?)
       union
       select child.branch_id, reached.first from reached
         join branches child on child.parent_branch_id = reached.branch_id and child.through >= reached.first
     )
     select tasks.number as number from reached join branches using (branch_id)
       join tasks on tasks.task_id = branches.task_id and tasks.branch_id = reached.branch_id`,
  );
  readonly #within = this.db.prepare(
    "select 1 from messages_index where messages_index match ?1 and rowid between (?2 << 32) and ((?2 << 32) | ?3) limit 1",
  );

  readonly #titled = this.db.prepare("select 1 from messages_index where messages_index match ? and rowid = ?");

  /** The next messages to index. */
  unindexed(limit: number): readonly UnindexedMessage[] {
    return this.#unindexed.all(this.#through, limit).map((row) => ({
      id: Number(row["id"]),
      branch: Number(row["branch"]),
      role: row["role"] as UnindexedMessage["role"],
      content: JSON.parse(String(row["content"])) as unknown,
    }));
  }

  /** How many messages may not be indexed yet. */
  get behind(): number {
    return Math.max(0, Number(this.#lastMessage.get()?.["id"] ?? 0) - this.#through);
  }

  /** Indexes the terms of messages, all up to `through`. Runs in a transaction of the caller. */
  add(
    terms: readonly { readonly id: number; readonly branch: number; readonly text: string }[],
    through: number,
  ): void {
    // The index writes what it has for each id that is lower than the one before.
    for (const { id, branch, text } of terms.toSorted((a, b) => a.branch - b.branch || a.id - b.id))
      this.#insert.run(branch, id, text);
    this.store.state.set("messages_indexed", { ...this.#state, through });
  }

  /** Empties the index, also a damaged one, so that everything is indexed anew. Runs in a transaction of the caller. */
  clear(): void {
    this.#clear.run();
    this.store.state.set("messages_indexed", { through: 0, titles: 0 });
  }

  /** The next titles to index again. Null unless the index is rebuilt. */
  unindexedTitles(limit: number): readonly Pick<TaskRow, "number" | "title">[] | null {
    const { titles } = this.#state;
    return titles === undefined ? null : (this.#titlesAfter.all(titles, limit) as unknown as readonly TaskRow[]);
  }

  /** Notes that titles are in the index up to that of a task; null: all are. Runs in a transaction of the caller. */
  titlesIndexed(through: number | null): void {
    this.store.state.set("messages_indexed", { ...this.#state, titles: through ?? undefined });
  }

  /** Replaces the terms of a task's title. */
  setTitle(number: number, text: string): void {
    this.#remove.run(number);
    this.#insert.run(0, number, text);
  }

  /** Messages and titles that match, at most `limit`. */
  hits(match: string, limit: number): readonly Hit[] {
    return this.#hits.all(match, limit) as unknown as readonly Hit[];
  }

  /** The numbers of the tasks with these matches, in no order. */
  tasksOf(hits: readonly Hit[]): readonly number[] {
    const first = new Map<number, number>();
    for (const { branch, id } of hits) if (branch > 0) first.set(branch, Math.min(id, first.get(branch) ?? id));
    const titled = hits.flatMap(({ branch, id }) => (branch === 0 ? id : []));
    const said = this.#tasks.all(JSON.stringify([...first])).map(({ number }) => Number(number));
    return [...new Set([...titled, ...said])];
  }

  /** Whether a task matches, of this number and with these prefixes as its conversation. */
  has(match: string, number: number, conversation: readonly Prefix[]): boolean {
    const isSaid = conversation.some(
      ({ branchId, through }) =>
        through > 0 && this.#within.get(match, branchId, Math.min(through, TITLES_BELOW - 1)) !== undefined,
    );
    return isSaid || this.#titled.get(match, number) !== undefined;
  }

  get #through(): number {
    return this.#state.through;
  }

  get #state() {
    return this.store.state.get("messages_indexed") ?? { through: 0 };
  }
}
