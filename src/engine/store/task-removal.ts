import type { SqlValue } from "./database.ts";
import { Table } from "./table.ts";

export interface RemovedRows {
  readonly messages: number;
  readonly turns: number;
  readonly requests: number;
  /** Messages that stay, because forks refer to them. */
  readonly kept: number;
}

/** Tables whose rows go with their task, whatever forks refer to. */
const OF_TASKS = ["plan_items", "grants", "inbox", "client_tool_calls", "loaded_tools"];

/** The branches of the task ?1. */
const OWN = "(select branch_id from branches where task_id = ?1)";

/** The branches of the task ?1 that branches of other tasks refer to, each up to the last message that one needs. */
const NEEDED = `with recursive needed (branch_id, through) as (
    select parent_branch_id, through from branches where task_id <> ?1 and parent_branch_id in ${OWN}
    union
    select branches.parent_branch_id, min(needed.through, branches.through)
    from needed join branches on branches.branch_id = needed.branch_id and branches.parent_branch_id in ${OWN}
  )
  select branch_id as branchId, max(through) as through from needed group by branch_id`;

/**
 * Deletes tasks. What forks refer to stays, and belongs to the oldest of these forks from then on: it is deleted with the
 * last task that needs it. Runs in a transaction of the caller.
 */
export class TaskRemoval extends Table {
  /** `taskId` has a record and no running turn. Returns what was deleted. */
  remove(taskId: string): RemovedRows {
    const needed = this.#all(NEEDED, taskId) as unknown as readonly { branchId: number; through: number }[];
    let messages = this.#run("delete from messages where task_id = ? and thread <> ''", taskId);
    for (const { branch_id: branch } of this.#all("select branch_id from branches where task_id = ?", taskId)) {
      const through = needed.find(({ branchId }) => branchId === branch)?.through ?? 0;
      messages += this.#run("delete from messages where branch = ? and id > ?", Number(branch), through);
      this.#run(
        `delete from compactions where branch = ?1
           and max(record ->> '$.hiddenThrough', record ->> '$.clearedThrough', record ->> '$.summarisedThrough') > ?2`,
        Number(branch),
        through,
      );
    }
    this.#run("delete from compactions where task_id = ? and branch is null", taskId);
    const turns = `(select turn_id from turns where task_id = ?1)`;
    this.#run(`delete from model_requests where turn_id in ${turns}`, taskId);
    this.#run(`delete from idempotency_keys where turn_id in ${turns}`, taskId);
    const gone = `(select turn_id from turns where task_id = ?1 and turn_id not in
      (select turn_id from messages where branch in ${OWN}))`;
    const requests = this.#run(`delete from hitl_requests where turn_id in ${gone}`, taskId);
    this.#run(`delete from recalls where turn_id in ${gone}`, taskId);
    const removed = this.#run(`delete from turns where turn_id in ${gone}`, taskId);
    this.#run("delete from artifacts where task_id = ?1 and turn_id not in (select turn_id from turns)", taskId);
    for (const table of OF_TASKS) this.#run(`delete from ${table} where task_id = ?`, taskId);
    this.#run("delete from tasks where task_id = ?", taskId);
    const kept = this.#handOver(taskId, new Set(needed.map(({ branchId }) => branchId)));
    return { messages, turns: removed, requests, kept };
  }

  /** Gives what stays of a task to the oldest fork that needs it, and deletes its other branches. */
  #handOver(taskId: string, needed: ReadonlySet<number>): number {
    const [fork] = this.#all(
      `select task_id from branches where task_id <> ?1 and parent_branch_id in ${OWN} order by branch_id limit 1`,
      taskId,
    );
    this.#run(
      "delete from branches where task_id = ?1 and branch_id not in (select value from json_each(?2))",
      taskId,
      JSON.stringify([...needed]),
    );
    if (fork === undefined) return 0;
    const owner = String(fork["task_id"]);
    for (const table of [
      "branches",
      "compactions",
      "turns",
      "hitl_requests",
      "file_changes",
      "incomplete_comparisons",
      "artifacts",
    ])
      this.#run(`update ${table} set task_id = ?2 where task_id = ?1`, taskId, owner);
    let kept = 0;
    for (const branch of needed) kept += this.#run("update messages set task_id = ?2 where branch = ?1", branch, owner);
    return kept;
  }

  #all(sql: string, ...values: SqlValue[]) {
    return this.db.prepare(sql).all(...values);
  }

  #run(sql: string, ...values: SqlValue[]): number {
    return this.db.prepare(sql).run(...values).changes;
  }
}
