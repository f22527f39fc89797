import { DEFAULT_AGENT } from "../../../contract/engine/requests.ts";
import { MessageTable, type StoredMessage } from "../../store/messages.ts";
import { Table } from "../../store/table.ts";
import type { Store } from "../../store/open-store.ts";
import { TaskTable } from "../../store/tasks.ts";
import type { ImportStage, StagedRecord } from "./import-stage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What the numbers of a file are added to: the lines of its messages and branches are their new numbers. */
export interface NumberOffsets {
  readonly messages: number;
  readonly branches: number;
  /** The file's last line. */
  readonly lines: number;
}

/** Reserves numbers for a file, so that turns meanwhile take higher ones. Runs in a transaction of the caller. */
export function reserveNumbers({ db }: Pick<Store, "db">, lines: number): NumberOffsets {
  const reserve = (table: "messages" | "branches"): number => {
    const row = db.prepare("select seq from sqlite_sequence where name = ?").get(table);
    const before = Number(row?.["seq"] ?? 0);
    db.prepare("delete from sqlite_sequence where name = ?").run(table);
    db.prepare("insert into sqlite_sequence (name, seq) values (?, ?)").run(table, before + lines);
    return before;
  };
  return { messages: reserve("messages"), branches: reserve("branches"), lines };
}

/**
 * Imports tasks with their branches and messages. A task that the engine has keeps its record, and its conversation goes
 * on with the messages of the file. So do tasks of files of earlier releases, which have no records of them.
 */
export class ConversationImporter extends Table {
  readonly #stage: ImportStage;
  readonly #tasks = new TaskTable(this.store);
  readonly #messages = new MessageTable(this.store);
  readonly #offsets: NumberOffsets = this.store.state.get("import")?.offsets ?? { messages: 0, branches: 0, lines: 0 };
  readonly #hasBranch = this.db.prepare("select 1 from branches where branch_id = ?");

  constructor(store: Store, stage: ImportStage) {
    super(store);
    this.#stage = stage;
  }

  importTask(fields: Fields): boolean {
    const taskId = String(fields["task_id"]);
    if (this.#tasks.find(taskId) !== null) return false;
    const branch = this.#branchNumber(fields["branch"]);
    const { title, title_source: source, agent, metadata, parent_task_id: parent } = fields;
    const tokens = ["input_tokens", "output_tokens", "cache_hit_tokens"].map((name) => Number(fields[name]));
    this.db
      .prepare(
        `insert into tasks (task_id, branch_id, title, title_source, agent, metadata, parent_task_id, parent_message,
           created_at, last_active_at, archived, input_tokens, output_tokens, cache_hit_tokens)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        taskId,
        branch,
        String(title),
        String(source),
        String(agent),
        JSON.stringify(metadata),
        parent === null ? null : String(parent),
        this.#messageNumber(fields["parent_message"]),
        timeOf(fields["created_at"]),
        timeOf(fields["last_active_at"]),
        Number(fields["archived"]),
        ...tokens,
      );
    return true;
  }

  /** Only of tasks that the file brings. Without its parent it begins anew. */
  importBranch({ line, fields }: Pick<StagedRecord, "line" | "fields">): boolean {
    const taskId = String(fields["task_id"]);
    if (!this.#isOfFile(taskId)) return false;
    const parent = fields["parent"] === null ? null : this.#branchNumber(fields["parent"]);
    const known = parent !== null && this.#hasBranch.get(parent) !== undefined ? parent : null;
    const through = known === null ? null : (this.#messageNumber(fields["through"]) ?? 0);
    this.db
      .prepare(
        "insert into branches (branch_id, task_id, parent_branch_id, through, created_at) values (?, ?, ?, ?, ?)",
      )
      .run(this.#offsets.branches + line, taskId, known, through, timeOf(fields["created_at"]));
    return true;
  }

  /** Of a turn that was imported: the conversation goes on where the engine's own has ended. */
  turnImported(fields: Fields): void {
    const startedAt = timeOf(fields["started_at"]);
    const endedAt = timeOf(fields["ended_at"] ?? fields["started_at"]);
    const { agent } = fields["request"] as { readonly agent?: unknown };
    const known = typeof agent === "string" ? agent : DEFAULT_AGENT;
    const turn = { agent: known, message: String(fields["message"]), startedAt, endedAt };
    this.#tasks.imported(String(fields["task_id"]), turn);
  }

  importMessage({ line, fields }: Pick<StagedRecord, "line" | "fields">): boolean {
    const { turn_id: turnId, task_id: taskId, thread, role, content, branch, created_at: createdAt } = fields;
    const turn = this.#stage.find("turn", String(turnId));
    if (turn === null || turn.skip) return false;
    const end = turn.fields["ended_at"] ?? turn.fields["started_at"];
    const at = timeOf(createdAt ?? (role === "user" ? turn.fields["started_at"] : end));
    const number = typeof branch === "string" && thread === "" ? this.#branchNumber(branch) : null;
    if (number === null || this.#hasBranch.get(number) === undefined) {
      const message = { turnId: String(turnId), role: role as StoredMessage["role"], content };
      this.#messages.append(String(taskId), message, String(thread), at);
      return true;
    }
    this.db
      .prepare(
        `insert into messages (id, task_id, turn_id, branch, role, created_at, content) values (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        this.#offsets.messages + line,
        String(taskId),
        String(turnId),
        number,
        String(role),
        at,
        JSON.stringify(content),
      );
    return true;
  }

  /** Counts the messages of a task that the file has brought, once they are stored. */
  countMessages(fields: Fields): boolean {
    const taskId = String(fields["task_id"]);
    if (!this.#isOfFile(taskId)) return false;
    this.#tasks.recount(taskId);
    return true;
  }

  /** Whether this import has created the task: its branch has a number that was reserved for the file. */
  #isOfFile(taskId: string): boolean {
    const { branches, lines } = this.#offsets;
    const branch = this.#tasks.find(taskId)?.branchId ?? 0;
    return branch > branches && branch <= branches + lines;
  }

  /** References were checked before the import: a branch of the file has a line. */
  #branchNumber(id: unknown): number {
    return this.#offsets.branches + (this.#stage.find("branch", String(id))?.line ?? 0);
  }

  #messageNumber(id: unknown): number | null {
    const found = typeof id === "string" ? this.#stage.find("message", id) : null;
    return found === null ? null : this.#offsets.messages + found.line;
  }
}

const timeOf = (text: unknown): number => Date.parse(String(text));
