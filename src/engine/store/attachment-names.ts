import { setImmediate as nextTurn } from "node:timers/promises";
import type { SqlRow } from "./database.ts";
import { Table } from "./table.ts";

/** Messages that are read at once: a turn waits for a millisecond or two. */
const AT_ONCE = 2000;

/** The attachments that conversations, waiting messages and running tool calls have. */
export class AttachmentNames extends Table {
  readonly #pageEnd = this.db.prepare(
    `select max(id) as id from (select id from messages where id > ? order by id limit ${AT_ONCE})`,
  );
  readonly #page = this.db.prepare(
    "select content as text from messages where id > ? and id <= ? and instr(content, ?) > 0",
  );
  readonly #elsewhere = this.db.prepare(
    `select content as text from inbox where state = 'waiting'
     union all select attachments from tool_calls where attachments is not null`,
  );

  /** The names of files that are mentioned in this folder, such as `.orch/attachments`. Reads all messages. */
  async in(folder: string): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    const add = (rows: readonly SqlRow[]) => {
      for (const { text } of rows) for (const name of namesIn(String(text), folder)) names.add(name);
    };
    for (let after = 0; ; await nextTurn()) {
      const end = this.#pageEnd.get(after)?.["id"] ?? null;
      if (end === null) break;
      add(this.#page.all(after, end, `${folder}/`));
      after = Number(end);
    }
    // In the same turn of the event loop as the last messages: what waits becomes one.
    add(this.#elsewhere.all());
    return names;
  }
}

/** The names of files of a folder that a text mentions. */
export const namesIn = (text: string, folder: string): readonly string[] =>
  text
    .split(`${folder}/`)
    .slice(1)
    .flatMap((part) => {
      const name = /^[\p{L}\p{N}._-]*/u.exec(part)?.[0] ?? "";
      // A sentence may end with it.
      return [name, name.replace(/\.+$/, "")];
    });
