import { namesIn } from "./attachment-names.ts";
import type { SqlValue } from "./database.ts";
import type { EventTable } from "./events.ts";
import type { Store } from "./open-store.ts";
import { Table } from "./table.ts";

export interface RemovedRows {
  readonly messages: number;
  readonly turns: number;
  readonly requests: number;
  /** The names of files that it mentions, each with the time of the last message that does. */
  readonly files: ReadonlyMap<string, number>;
  /** Rows of the event log. */
  readonly events: number;
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

/** Tables whose rows go to a fork with what it needs. */
const HANDED_OVER = [
  "branches",
  "compactions",
  "turns",
  "hitl_requests",
  "file_changes",
  "incomplete_comparisons",
  "artifacts",
];

/** Rows of one step: some hundred microseconds. */
const ROWS = 100;

interface MessagesRemoved {
  messages: number;
  readonly files: Map<string, number>;
}

/** A part of a removal. Runs in a transaction of the caller, before the next one is asked for. */
export type RemovalStep = () => void;

/**
 * Deletes tasks. What forks refer to stays, and belongs to the oldest of these forks from then on: it is deleted with the
 * last task that needs it. A deletion begins in one transaction, which removes the record, and goes on in steps, so that
 * no turn waits for a long one. A killed one is begun again with its steps. Meanwhile the caller holds the task.
 */
export class TaskRemoval extends Table {
  readonly #events: EventTable;
  readonly #folder: string;

  /** `folder`: of attachments, such as `.orch/attachments`. */
  constructor(store: Store, { events, folder }: { readonly events: EventTable; readonly folder: string }) {
    super(store);
    this.#events = events;
    this.#folder = folder;
  }

  /** Removes the record, so that nobody finds the task any more. Runs in a transaction of the caller. */
  begin(taskId: string): void {
    this.store.state.set("removals", { ...this.#begun, [taskId]: this.#events.keepFloor() });
    for (const table of OF_TASKS) this.#run(`delete from ${table} where task_id = ?`, taskId);
    // Those of turns that no fork needs: the others are handed over.
    this.#run(
      `delete from artifacts where task_id = ?1 and turn_id not in (
         select turn_id from (${NEEDED}) join messages on branch = branchId and id <= through)`,
      taskId,
    );
    this.#run("delete from tasks where task_id = ?", taskId);
  }

  /** The tasks whose deletion has begun. */
  get unfinished(): readonly string[] {
    return Object.keys(this.#begun);
  }

  /** The rest of a deletion that has begun. Returns what was deleted. */
  *steps(taskId: string): Generator<RemovalStep, RemovedRows> {
    const files = new Map<string, number>();
    const removed = { messages: 0, turns: 0, requests: 0, events: 0, kept: 0, files };
    for (const step of this.#events.removal(taskId, this.#begun[taskId] ?? 0))
      yield () => {
        removed.events += step();
      };
    yield () => {
      const turns = "(select turn_id from turns where task_id = ?1)";
      this.#run(`delete from idempotency_keys where turn_id in ${turns}`, taskId);
    };
    const turns = this.#all("select turn_id from turns where task_id = ?", taskId).map((row) => String(row["turn_id"]));
    for (const some of slices(turns))
      yield () => {
        this.#run("delete from model_requests where turn_id in (select value from json_each(?))", JSON.stringify(some));
        this.#events.forgetTurns(some);
      };
    yield* this.#messageSteps(taskId, removed);
    for (const some of slices(turns))
      yield () => {
        const { requests, turns: gone } = this.#removeTurns(taskId, some);
        removed.requests += requests;
        removed.turns += gone;
      };
    yield* this.#handOverSteps(taskId);
    yield () => {
      removed.kept = this.#finish(taskId);
    };
    return removed;
  }

  *#messageSteps(taskId: string, removed: MessagesRemoved): Generator<RemovalStep, void> {
    yield* this.#untilNone(
      `select id from messages where task_id = ? and thread <> '' limit ${ROWS}`,
      [taskId],
      removed,
    );
    const needed = this.#needed(taskId);
    for (const { branch_id: branch } of this.#all("select branch_id from branches where task_id = ?", taskId)) {
      const own = [Number(branch), needed.get(Number(branch)) ?? 0];
      yield* this.#untilNone(`select id from messages where branch = ? and id > ? limit ${ROWS}`, own, removed);
    }
  }

  *#untilNone(ids: string, values: readonly SqlValue[], removed: MessagesRemoved): Generator<RemovalStep, void> {
    const mentioning = `select content, created_at from messages where id in (${ids}) and instr(content, ?) > 0`;
    let last = ROWS;
    const step = () => {
      for (const { content, created_at: at } of this.#all(mentioning, ...values, `${this.#folder}/`))
        for (const name of namesIn(String(content), this.#folder))
          removed.files.set(name, Math.max(Number(at), removed.files.get(name) ?? 0));
      last = this.#run(`delete from messages where id in (${ids})`, ...values);
      removed.messages += last;
    };
    for (;;) {
      yield step;
      if (last < ROWS) return;
    }
  }

  /** Deletes those of some turns that no message is left of. A fork that needs the others gets them. */
  #removeTurns(taskId: string, turnIds: readonly string[]): Pick<RemovedRows, "turns" | "requests"> {
    const some = JSON.stringify(turnIds);
    const gone = `(select value from json_each(?2) where not exists (
      select 1 from messages where turn_id = value and branch in ${OWN}))`;
    const requests = this.#run(`delete from hitl_requests where turn_id in ${gone}`, taskId, some);
    for (const table of ["recalls", "tool_verdicts"])
      this.#run(`delete from ${table} where turn_id in ${gone}`, taskId, some);
    const turns = this.#run(`delete from turns where turn_id in ${gone}`, taskId, some);
    const owner = this.#heir(taskId);
    if (owner !== null)
      this.#run("update turns set task_id = ? where turn_id in (select value from json_each(?))", owner, some);
    return { turns, requests };
  }

  *#handOverSteps(taskId: string): Generator<RemovalStep, void> {
    const owner = this.#heir(taskId);
    if (owner === null) return;
    for (const branch of this.#needed(taskId).keys()) {
      let after: number | null = 0;
      const step = () => {
        const from = after ?? 0;
        const [row] = this.#all(
          `select max(id) as last from (select id from messages where branch = ? and id > ? order by id limit ${ROWS})`,
          branch,
          from,
        );
        after = row === undefined || row["last"] === null ? null : Number(row["last"]);
        const some = "update messages set task_id = ? where branch = ? and id > ? and id <= ?";
        if (after !== null) this.#run(some, owner, branch, from, after);
      };
      for (;;) {
        yield step;
        if (after === null) break;
      }
    }
  }

  /** What the steps have left, and the branches. Returns how many messages stay. */
  #finish(taskId: string): number {
    const needed = this.#needed(taskId);
    for (const { branch_id: branch } of this.#all("select branch_id from branches where task_id = ?", taskId)) {
      const through = needed.get(Number(branch)) ?? 0;
      this.#run("delete from messages where branch = ? and id > ?", Number(branch), through);
      this.#run(
        `delete from compactions where branch = ?1
           and max(record ->> '$.hiddenThrough', record ->> '$.clearedThrough', record ->> '$.summarisedThrough') > ?2`,
        Number(branch),
        through,
      );
    }
    this.#run("delete from compactions where task_id = ? and branch is null", taskId);
    const { [taskId]: _, ...others } = this.#begun;
    if (Object.keys(others).length === 0) this.store.state.remove("removals");
    else this.store.state.set("removals", others);
    return this.#handOver(taskId, [...needed.keys()]);
  }

  /** Gives what stays of a task to the oldest fork that needs it, and deletes its other branches. */
  #handOver(taskId: string, needed: readonly number[]): number {
    const owner = this.#heir(taskId);
    this.#run(
      "delete from branches where task_id = ?1 and branch_id not in (select value from json_each(?2))",
      taskId,
      JSON.stringify(needed),
    );
    if (owner === null) {
      this.#forgetRest(taskId);
      return 0;
    }
    for (const table of HANDED_OVER) this.#run(`update ${table} set task_id = ?2 where task_id = ?1`, taskId, owner);
    let kept = 0;
    for (const branch of needed) {
      // Those of the steps have it already, unless another fork was the oldest then.
      this.#run("update messages set task_id = ?2 where branch = ?1 and task_id <> ?2", branch, owner);
      kept += Number(this.#all("select count(*) as n from messages where branch = ?", branch)[0]?.["n"]);
    }
    return kept;
  }

  /** What was left for a fork that was deleted meanwhile. */
  #forgetRest(taskId: string): void {
    const turns = "(select turn_id from turns where task_id = ?)";
    for (const table of ["recalls", "tool_verdicts"])
      this.#run(`delete from ${table} where turn_id in ${turns}`, taskId);
    for (const table of HANDED_OVER) this.#run(`delete from ${table} where task_id = ?`, taskId);
  }

  /** The task of the oldest fork that needs something of a task. */
  #heir(taskId: string): string | null {
    const [fork] = this.#all(
      `select task_id from branches where task_id <> ?1 and parent_branch_id in ${OWN} order by branch_id limit 1`,
      taskId,
    );
    return fork === undefined ? null : String(fork["task_id"]);
  }

  /** The branches that forks need, each with the last message that one needs. */
  #needed(taskId: string): ReadonlyMap<number, number> {
    return new Map(this.#all(NEEDED, taskId).map((row) => [Number(row["branchId"]), Number(row["through"])]));
  }

  get #begun(): Readonly<Record<string, number>> {
    return this.store.state.get("removals") ?? {};
  }

  #all(sql: string, ...values: SqlValue[]) {
    return this.db.prepare(sql).all(...values);
  }

  #run(sql: string, ...values: SqlValue[]): number {
    return this.db.prepare(sql).run(...values).changes;
  }
}

const slices = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / ROWS) }, (_, at) => ids.slice(at * ROWS, (at + 1) * ROWS));
