import type { TaskDefaults } from "../../contract/engine/task.ts";
import { BranchTable, type Prefix, lineageOf } from "./branches.ts";
import type { SqlRow } from "./database.ts";
import { firstWords } from "./first-words.ts";
import type { Store } from "./open-store.ts";
import { Table } from "./table.ts";

export interface TaskRow {
  /** Orders the tasks with the same time of activity. */
  readonly number: number;
  readonly taskId: string;
  readonly branchId: number;
  readonly title: string;
  readonly titleSource: "first_words" | "model" | "user";
  readonly agent: string;
  readonly createdAt: number;
  readonly lastActiveAt: number;
  readonly archived: 0 | 1;
  readonly metadata: Readonly<Record<string, string>>;
  readonly messageCount: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheHitTokens: number;
  readonly parentTaskId: string | null;
  /** The id of the last message that a fork has from its parent. */
  readonly parentMessage: number | null;
}

/** What a turn tells the record of its task when it starts. */
export interface TaskStart {
  readonly agent: string;
  /** The text of the turn's message. */
  readonly message: string;
  readonly at: number;
}

/** A task before its first turn. */
export interface NewTask {
  readonly taskId: string;
  /** Null: the first words of its first message, when it is there. */
  readonly title: string | null;
  readonly agent: string;
  readonly metadata: TaskRow["metadata"];
  readonly defaults: TaskDefaults;
  readonly at: number;
}

/** Tokens, as model calls count them. */
export interface TaskTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheHitTokens: number;
}

export interface NewFork {
  readonly taskId: string;
  readonly prefix: Prefix;
  /** The last message that both have; null without one. */
  readonly after: number | null;
  readonly messageCount: number | null;
  readonly at: number;
}

/** The place of a task in the list of all tasks. */
export type TaskPlace = Pick<TaskRow, "lastActiveAt" | "number">;

/** Which tasks a list has. */
export interface TaskFilter {
  readonly archived?: boolean | undefined;
  readonly agent?: string | undefined;
  /** Each of these values, by its key. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export type TaskChange = Partial<Pick<TaskRow, "title" | "titleSource" | "metadata">> & {
  readonly archived?: boolean | undefined;
  readonly defaults?: TaskDefaults | undefined;
};

const COLUMNS = `number, task_id as taskId, branch_id as branchId, title, title_source as titleSource, agent,
  created_at as createdAt, last_active_at as lastActiveAt, archived, metadata, message_count as messageCount,
  input_tokens as inputTokens, output_tokens as outputTokens, cache_hit_tokens as cacheHitTokens,
  parent_task_id as parentTaskId, parent_message as parentMessage`;
const FIRST: TaskPlace = { lastActiveAt: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER };

/**
 * The records of tasks. They change in the transactions of the turns that they tell of. `titled`: whether a new task gets
 * the first words of its message as its title.
 */
export class TaskTable extends Table {
  readonly #titled: boolean;
  readonly #branches = new BranchTable(this.store);
  readonly #active = this.db.prepare(
    `update tasks set agent = ?1, last_active_at = ?2, title = iif(title = '' and title_source = 'first_words', ?3, title)
     where task_id = ?4`,
  );
  readonly #create = this.db.prepare(
    `insert into tasks (task_id, branch_id, title, title_source, agent, created_at, last_active_at, metadata, defaults)
     values (?1, ?2, coalesce(?3, ''), iif(?3 is null, 'first_words', 'user'), ?4, ?5, ?5, ?6, ?7)`,
  );
  readonly #defaults = this.db.prepare("select defaults from tasks where task_id = ? and defaults is not null");
  readonly #insert = this.db.prepare(
    `insert into tasks (task_id, branch_id, title, title_source, agent, created_at, last_active_at)
     values (?, ?, ?, 'first_words', ?, ?, ?)`,
  );
  readonly #seen = this.db.prepare("update tasks set last_active_at = max(last_active_at, ?) where task_id = ?");
  readonly #count = this.db.prepare(
    `${lineageOf("?1")} select count(*) as count from (
       select role, turn_id, lag(role) over (order by id) as previous, lag(turn_id) over (order by id) as previous_turn
       from lineage join messages on branch = branch_id and id <= through
     ) where role = 'user' or previous is null or previous = 'user' or previous_turn <> turn_id`,
  );
  readonly #move = this.db.prepare("update tasks set branch_id = ?, message_count = ? where task_id = ?");
  readonly #fork = this.db.prepare(
    `insert into tasks (task_id, branch_id, title, title_source, agent, created_at, last_active_at, metadata, defaults,
       message_count, parent_task_id, parent_message)
     select ?1, ?2, title, title_source, agent, ?3, ?4, metadata, defaults, ?5, task_id, ?6 from tasks where task_id = ?7`,
  );
  readonly #ended = this.db.prepare(
    `update tasks set last_active_at = ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
       cache_hit_tokens = cache_hit_tokens + ? where task_id = ?`,
  );
  readonly #find = this.db.prepare(`select ${COLUMNS} from tasks where task_id = ?`);

  constructor(store: Store, { titled = true }: { readonly titled?: boolean } = {}) {
    super(store);
    this.#titled = titled;
  }

  /** Creates the task with its first branch, or notes that it is active. Comes before the turn's message. */
  turnStarted(taskId: string, { agent, message, at }: TaskStart): void {
    const title = this.#titled ? firstWords(message) : "";
    if (this.#active.run(agent, at, title, taskId).changes > 0) return;
    this.#insert.run(taskId, this.#branches.insertRoot(taskId, at), title, agent, at, at);
  }

  /** False when the id is taken. */
  create({ taskId, title, agent, metadata, defaults, at }: NewTask): boolean {
    if (this.#find.get(taskId) !== undefined) return false;
    const [root, own, given] = [this.#branches.insertRoot(taskId, at), JSON.stringify(metadata), textOf(defaults)];
    this.#create.run(taskId, root, title, agent, at, own, given);
    return true;
  }

  /** Empty for an unknown task. */
  defaultsOf(taskId: string): TaskDefaults {
    const row = this.#defaults.get(taskId);
    return row === undefined ? {} : (JSON.parse(String(row["defaults"])) as TaskDefaults);
  }

  /** Notes a turn that another engine ran. */
  imported(
    taskId: string,
    turn: Omit<TaskStart, "at"> & { readonly startedAt: number; readonly endedAt: number },
  ): void {
    if (this.#seen.run(turn.endedAt, taskId).changes > 0) return;
    const { agent, message, startedAt, endedAt } = turn;
    const branch = this.#branches.insertRoot(taskId, startedAt);
    this.#insert.run(taskId, branch, firstWords(message), agent, startedAt, endedAt);
  }

  turnEnded(taskId: string, { at, usage }: { readonly at: number; readonly usage: TaskTokens }): void {
    this.#ended.run(at, usage.inputTokens, usage.outputTokens, usage.cacheHitTokens, taskId);
  }

  /** Counts the messages of a conversation that was stored at once. */
  recount(taskId: string): void {
    const branchId = this.find(taskId)?.branchId;
    if (branchId !== undefined) this.#move.run(branchId, this.#messagesOf(branchId), taskId);
  }

  /** The conversation goes on after the prefix, on a branch of its own. Only while no turn of the task runs. */
  continueFrom(taskId: string, prefix: Prefix, at: number): void {
    const branchId = this.#branches.insert(taskId, prefix, at);
    this.#move.run(branchId, this.#messagesOf(branchId), taskId);
  }

  /**
   * A new task that begins with a prefix of another one's conversation. False when the id is taken. `messageCount`: null
   * where it must be counted.
   */
  fork(from: string, { taskId, prefix, after, messageCount, at }: NewFork): boolean {
    if (this.#find.get(taskId) !== undefined) return false;
    const branchId = this.#branches.insert(taskId, prefix, at);
    this.#fork.run(taskId, branchId, at, at, messageCount ?? this.#messagesOf(branchId), after, from);
    return true;
  }

  find(taskId: string): TaskRow | null {
    const row = this.#find.get(taskId);
    return row === undefined ? null : taskRow(row);
  }

  /** The tasks after a place, the latest activity first. `only`: of these numbers. */
  *after(place: TaskPlace | null, filter: TaskFilter, only: readonly number[] | null = null): Generator<TaskRow> {
    const { lastActiveAt, number } = place ?? FIRST;
    const conditions = ["(last_active_at, number) < (?, ?)"];
    const values: (string | number)[] = [lastActiveAt, number];
    const add = (condition: string, value: string | number) => {
      conditions.push(condition);
      values.push(value);
    };
    if (filter.archived !== undefined) add("archived = ?", filter.archived ? 1 : 0);
    if (filter.agent !== undefined) add("agent = ?", filter.agent);
    for (const [key, value] of Object.entries(filter.metadata ?? {})) {
      conditions.push("exists (select 1 from json_each(metadata) own where own.key = ? and own.value = ?)");
      values.push(key, value);
    }
    if (only !== null) add("number in (select value from json_each(?))", JSON.stringify(only));
    const rows = this.db
      .prepare(
        `select ${COLUMNS} from tasks where ${conditions.join(" and ")} order by last_active_at desc, number desc`,
      )
      .iterate(...values);
    for (const row of rows) yield taskRow(row);
  }

  /** The ids of tasks that begin so, the latest activity first. Ids are compared by their bytes. */
  withPrefix(prefix: string, limit: number): readonly string[] {
    return this.db
      .prepare(
        `select task_id from tasks where task_id >= ?1 and task_id < ?1 || char(0x10ffff)
         order by last_active_at desc, number desc limit ?2`,
      )
      .all(prefix, limit)
      .map((row) => String(row["task_id"]));
  }

  /** Returns false when there is no such task. */
  change(taskId: string, { title, titleSource, archived, metadata, defaults }: TaskChange): boolean {
    const { changes } = this.db
      .prepare(
        `update tasks set title = coalesce(?, title), title_source = coalesce(?, title_source),
           archived = coalesce(?, archived), metadata = coalesce(?, metadata), defaults = iif(?, ?, defaults)
         where task_id = ?`,
      )
      .run(
        title ?? null,
        titleSource ?? null,
        archived === undefined ? null : Number(archived),
        metadata === undefined ? null : JSON.stringify(metadata),
        Number(defaults !== undefined),
        defaults === undefined ? null : textOf(defaults),
        taskId,
      );
    return changes > 0;
  }

  /** Sets a title that a model wrote, unless somebody has set one since. Returns whether it did. */
  nameByModel(taskId: string, title: string): boolean {
    const { changes } = this.db
      .prepare("update tasks set title = ?, title_source = 'model' where task_id = ? and title_source = 'first_words'")
      .run(title, taskId);
    return changes > 0;
  }

  /** Tasks without activity since a time, the oldest first. */
  inactiveSince(time: number, limit: number): readonly string[] {
    return this.db
      .prepare("select task_id from tasks where last_active_at < ? order by last_active_at, number limit ?")
      .all(time, limit)
      .map((row) => String(row["task_id"]));
  }

  /** The messages that a conversation on this branch shows: answers of a turn and the results of its calls are one. */
  #messagesOf(branchId: number): number {
    return Number(this.#count.get(branchId)?.["count"]);
  }
}

/** Null without any. */
const textOf = (defaults: TaskDefaults): string | null =>
  Object.keys(defaults).length === 0 ? null : JSON.stringify(defaults);

/** Not by `camelRow`, which takes half of the time of a list. */
const taskRow = (row: SqlRow): TaskRow => {
  const metadata =
    row["metadata"] === "{}" ? NO_METADATA : (JSON.parse(String(row["metadata"])) as TaskRow["metadata"]);
  return Object.assign(row, { metadata }) as unknown as TaskRow;
};
const NO_METADATA: TaskRow["metadata"] = {};
