import { Table } from "./table.ts";

/** The attachments that conversations, waiting messages and running tool calls have. */
export class AttachmentNames extends Table {
  readonly #select = this.db.prepare(
    `select content as text from messages where instr(content, ?) > 0
     union all select content from inbox where state = 'waiting'
     union all select attachments from tool_calls where attachments is not null`,
  );

  /** The names of files that a task mentions, each with the time of the last message that does. */
  ofTask(taskId: string, folder: string): ReadonlyMap<string, number> {
    const rows = this.db
      .prepare(
        `select content as text, created_at as at from messages where instr(content, ?2) > 0
           and (branch in (select branch_id from branches where task_id = ?1) or task_id = ?1 and thread <> '')
         order by id`,
      )
      .all(taskId, `${folder}/`);
    return new Map(
      rows.flatMap(({ text, at }) => namesIn(String(text), folder).map((name) => [name, Number(at)] as const)),
    );
  }

  /** The names of files that are mentioned in this folder, such as `.orch/attachments`. Reads all messages. */
  in(folder: string): ReadonlySet<string> {
    return new Set(this.#select.all(`${folder}/`).flatMap((row) => namesIn(String(row["text"]), folder)));
  }
}

const namesIn = (text: string, folder: string): readonly string[] =>
  text
    .split(`${folder}/`)
    .slice(1)
    .flatMap((part) => {
      const name = /^[\p{L}\p{N}._-]*/u.exec(part)?.[0] ?? "";
      // A sentence may end with it.
      return [name, name.replace(/\.+$/, "")];
    });
