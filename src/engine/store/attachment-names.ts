import { Table } from "./table.ts";

/** The attachments that conversations, waiting messages and running tool calls have. */
export class AttachmentNames extends Table {
  readonly #select = this.db.prepare(
    `select content as text from messages where instr(content, ?) > 0
     union all select content from inbox where state = 'waiting'
     union all select attachments from tool_calls where attachments is not null`,
  );

  /** The names of files that are mentioned in this folder, such as `.orch/attachments`. Reads all messages. */
  in(folder: string): ReadonlySet<string> {
    const names = new Set<string>();
    const start = `${folder}/`;
    for (const row of this.#select.all(start))
      for (const part of String(row["text"]).split(start).slice(1)) {
        const name = /^[\p{L}\p{N}._-]*/u.exec(part)?.[0] ?? "";
        // A sentence may end with it.
        names.add(name).add(name.replace(/\.+$/, ""));
      }
    return names;
  }
}
