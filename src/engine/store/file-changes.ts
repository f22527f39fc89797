import type { NotCaptured, Uncompared } from "../../contract/engine/restore-outcomes.ts";
import { Table } from "./table.ts";

/** What a path of the workspace was. `stamp` changes with each change of a file; null while it is not known. */
export type FileState =
  | { readonly kind: "none" }
  | { readonly kind: "folder" }
  | {
      readonly kind: "file";
      readonly stamp: string | null;
      readonly mode: number;
      /** SHA-256 of the content; null when it was not read. */
      readonly digest: string | null;
      readonly reason?: NotCaptured;
    }
  /** A link, a pipe, a device. */
  | { readonly kind: "other"; readonly stamp: string | null };

/** The call that changed something, and the last message of its task before it. */
export interface ChangeOrigin {
  readonly taskId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly messageId: number;
}

export interface FileChange {
  /** The real path, relative to the workspace. */
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
  /** Calls of other tasks may have made it: they ran meanwhile. */
  readonly overlaps: boolean;
}

export interface FileChangeRow extends FileChange, ChangeOrigin {
  readonly id: number;
}

/** Messages of a task above `above` and up to `through`. */
export interface MessageRange {
  readonly taskId: string;
  readonly above: number;
  readonly through: number;
}

export interface IncompleteComparison extends ChangeOrigin {
  readonly reason: Uncompared;
}

/** What calls changed in the workspace, in order, and the calls of which that is not known. */
export class FileChangeTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into file_changes (task_id, turn_id, tool_call_id, message_id, path, before, after, overlaps)
     values (?, ?, ?, ?, ?, ?, ?, ?) returning id`,
  );
  readonly #setAfter = this.db.prepare("update file_changes set after = ? where id = ?");
  readonly #select = this.db.prepare(
    "select * from file_changes where task_id = ? and message_id > ? and message_id <= ?",
  );
  readonly #last = this.db.prepare("select after from file_changes where path = ? order by id desc limit 1");
  readonly #from = this.db.prepare("select 1 from file_changes where before ->> '$.digest' = ? limit 1");
  readonly #to = this.db.prepare("select 1 from file_changes where after ->> '$.digest' = ? limit 1");
  readonly #lastMessage = this.db.prepare("select max(id) as id from messages");
  readonly #lastChange = this.db.prepare("select max(id) as id from file_changes");
  readonly #open = this.db.prepare(
    `insert into incomplete_comparisons (task_id, turn_id, tool_call_id, message_id, reason)
     values (?, ?, ?, ?, 'running') returning id`,
  );
  readonly #close = this.db.prepare("delete from incomplete_comparisons where id = ?");
  readonly #leave = this.db.prepare("update incomplete_comparisons set reason = ? where id = ?");
  readonly #incomplete = this.db.prepare(
    "select * from incomplete_comparisons where task_id = ? and message_id > ? and message_id <= ? order by id",
  );

  /** The last message of all tasks. A change of a task comes after each of its messages so far, and before the next. */
  lastMessage(): number {
    return Number(this.#lastMessage.get()?.["id"] ?? 0);
  }

  /** The id of the last change of all tasks. */
  lastChange(): number {
    return Number(this.#lastChange.get()?.["id"] ?? 0);
  }

  /** Returns the id of the row. */
  add({ taskId, turnId, toolCallId, messageId }: ChangeOrigin, { path, before, after, overlaps }: FileChange): number {
    const [from, to] = [JSON.stringify(before), JSON.stringify(after)];
    const row = this.#insert.get(taskId, turnId, toolCallId, messageId, path, from, to, overlaps ? 1 : 0);
    return Number(row?.["id"]);
  }

  setAfter(id: number, after: FileState): void {
    this.#setAfter.run(JSON.stringify(after), id);
  }

  /** In the order in which they were made. */
  ofRanges(ranges: readonly MessageRange[]): FileChangeRow[] {
    return ranges
      .flatMap(({ taskId, above, through }) => this.#select.all(taskId, above, through))
      .map((row) => ({
        id: Number(row["id"]),
        ...originOf(row),
        path: String(row["path"]),
        before: JSON.parse(String(row["before"])) as FileState,
        after: JSON.parse(String(row["after"])) as FileState,
        overlaps: row["overlaps"] === 1,
      }))
      .toSorted((one, other) => one.id - other.id);
  }

  /** What the last change of a path made of it; null without one. */
  lastState(path: string): FileState | null {
    const row = this.#last.get(path);
    return row === undefined ? null : (JSON.parse(String(row["after"])) as FileState);
  }

  /** A call whose changes are not known yet. Returns the id for {@link compared} and {@link leftIncomplete}. */
  comparing({ taskId, turnId, toolCallId, messageId }: ChangeOrigin): number {
    return Number(this.#open.get(taskId, turnId, toolCallId, messageId)?.["id"]);
  }

  compared(id: number): void {
    this.#close.run(id);
  }

  leftIncomplete(id: number, reason: Uncompared): void {
    this.#leave.run(reason, id);
  }

  /** Of calls that an earlier process did not end. */
  interrupted(): void {
    this.db.exec("update incomplete_comparisons set reason = 'interrupted' where reason = 'running'");
  }

  incomplete(ranges: readonly MessageRange[]): IncompleteComparison[] {
    return ranges
      .flatMap(({ taskId, above, through }) => this.#incomplete.all(taskId, above, through))
      .map((row) => ({ ...originOf(row), reason: row["reason"] as Uncompared }));
  }

  /**
   * Forgets so many of the things that a task changed, but for the messages that a fork shares. Runs in a transaction of
   * the caller. Returns the contents that they referred to, or null when there was nothing to forget.
   */
  removeSome(taskId: string, count: number): readonly string[] | null {
    const shared = Number(
      this.db
        .prepare(
          `select coalesce(max(child.through), 0) as through
           from branches own join branches child on child.parent_branch_id = own.branch_id
           where own.task_id = ?1 and child.task_id <> ?1`,
        )
        .get(taskId)?.["through"],
    );
    const some = (table: string) =>
      `delete from ${table} where id in (select id from ${table} where task_id = ? and message_id > ? limit ?)`;
    const removed = this.db.prepare(`${some("file_changes")} returning before, after`).all(taskId, shared, count);
    const { changes: forgotten } = this.db.prepare(some("incomplete_comparisons")).run(taskId, shared, count);
    if (removed.length === 0 && forgotten === 0) return null;
    return removed
      .flatMap((row) => [digestIn(row["before"]), digestIn(row["after"])])
      .filter((digest) => digest !== null);
  }

  refersTo(digest: string): boolean {
    return [this.#from, this.#to].some((statement) => statement.get(digest) !== undefined);
  }

  /** Forgets the oldest rows above `keep`. Their tasks are told to be incomplete up to there. */
  prune(keep: number): void {
    const newest = "select id from %t order by id desc limit 1 offset ?";
    this.store.transaction(() => {
      const boundary = (table: string) => Number(this.db.prepare(newest.replace("%t", table)).get(keep)?.["id"] ?? 0);
      for (const table of ["file_changes", "incomplete_comparisons"]) {
        const through = boundary(table);
        if (through === 0) continue;
        this.db
          .prepare(
            `insert into incomplete_comparisons (task_id, turn_id, tool_call_id, message_id, reason)
             select task_id, '', '', max(message_id), 'forgotten' from ${table} where id <= ? group by task_id`,
          )
          .run(through);
        this.db.prepare(`delete from ${table} where id <= ?`).run(through);
      }
    });
  }
}

function digestIn(state: unknown): string | null {
  const parsed = JSON.parse(String(state)) as FileState;
  return parsed.kind === "file" ? parsed.digest : null;
}

const originOf = (row: Record<string, unknown>): ChangeOrigin => ({
  taskId: String(row["task_id"]),
  turnId: String(row["turn_id"]),
  toolCallId: String(row["tool_call_id"]),
  messageId: Number(row["message_id"]),
});
