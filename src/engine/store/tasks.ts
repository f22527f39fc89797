import { BranchTable, type Prefix, lineageOf } from "./branches.ts";
import { firstWords } from "./first-words.ts";
import { Table } from "./table.ts";

/** What a turn tells the record of its task when it starts. */
export interface TaskStart {
  readonly agent: string;
  /** The text of the turn's message. */
  readonly message: string;
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

/** The records of tasks. They change in the transactions of the turns that they tell of. */
export class TaskTable extends Table {
  readonly #branches = new BranchTable(this.store);
  readonly #active = this.db.prepare("update tasks set agent = ?, last_active_at = ? where task_id = ?");
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
  readonly #find = this.db.prepare("select message_count as messageCount from tasks where task_id = ?");
  readonly #fork = this.db.prepare(
    `insert into tasks (task_id, branch_id, title, title_source, agent, created_at, last_active_at, metadata, message_count,
       parent_task_id, parent_message)
     select ?1, ?2, title, title_source, agent, ?3, ?4, metadata, ?5, task_id, ?6 from tasks where task_id = ?7`,
  );
  readonly #ended = this.db.prepare(
    `update tasks set last_active_at = ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
       cache_hit_tokens = cache_hit_tokens + ? where task_id = ?`,
  );

  /** Creates the task with its first branch, or notes that it is active. Comes before the turn's message. */
  turnStarted(taskId: string, { agent, message, at }: TaskStart): void {
    if (this.#active.run(agent, at, taskId).changes > 0) return;
    this.#insert.run(taskId, this.#branches.insertRoot(taskId, at), firstWords(message), agent, at, at);
  }

  /** Notes a turn that another engine ran. */
  imported(
    taskId: string,
    turn: Omit<TaskStart, "at"> & { readonly startedAt: number; readonly endedAt: number },
  ): void {
    if (this.#seen.run(turn.endedAt, taskId).changes > 0) return;
    const { agent, message, startedAt, endedAt } = turn;
    this.#insert.run(
      taskId,
      this.#branches.insertRoot(taskId, startedAt),
      firstWords(message),
      agent,
      startedAt,
      endedAt,
    );
  }

  turnEnded(taskId: string, { at, usage }: { readonly at: number; readonly usage: TaskTokens }): void {
    this.#ended.run(at, usage.inputTokens, usage.outputTokens, usage.cacheHitTokens, taskId);
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

  messageCount(taskId: string): number | null {
    const row = this.#find.get(taskId);
    return row === undefined ? null : Number(row["messageCount"]);
  }

  /** The messages that a conversation on this branch shows: answers of a turn and the results of its calls are one. */
  #messagesOf(branchId: number): number {
    return Number(this.#count.get(branchId)?.["count"]);
  }
}
