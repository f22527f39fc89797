import { Table } from "./table.ts";

/** The part of a branch that belongs to a conversation: its messages up to the id `through`. */
export interface Prefix {
  readonly branchId: number;
  readonly through: number;
}

/** Higher than every message id. SQLite reads it as an integer. */
const NO_CUT = Number.MAX_SAFE_INTEGER;

/**
 * A conversation by the branch it is on: that branch whole, and each ancestor up to where the branch below it begins.
 * Begins a statement with the table `lineage (branch_id, through, depth)`; `start` is an expression of the branch's id.
 */
export const lineageOf = (start: string): string => `with recursive lineage (branch_id, through, depth) as (
  select branch_id, ${NO_CUT}, 0 from branches where branch_id = ${start}
  union all
  select parent.branch_id, min(lineage.through, child.through), depth + 1
  from lineage join branches child on child.branch_id = lineage.branch_id
    join branches parent on parent.branch_id = child.parent_branch_id
)`;

/** The current branch of the task that is the first parameter. */
export const CURRENT_BRANCH = "(select branch_id from tasks where task_id = ?1)";

/**
 * The branches of conversations. Only the last branch of a task grows. A branch refers to a prefix of its parent, so a
 * fork or a rewind copies no message.
 */
export class BranchTable extends Table {
  readonly #insert = this.db.prepare(
    "insert into branches (task_id, parent_branch_id, through, created_at) values (?, ?, ?, ?)",
  );
  readonly #lineage = this.db.prepare(
    `${lineageOf(CURRENT_BRANCH)} select branch_id as branchId, through from lineage order by depth desc`,
  );
  readonly #lineageOfBranch = this.db.prepare(
    `${lineageOf("?1")} select branch_id as branchId, through from lineage order by depth desc`,
  );

  /** The first branch of a task. Returns its id. */
  insertRoot(taskId: string, createdAt: number): number {
    return this.#insert.run(taskId, null, null, createdAt).lastInsertRowid;
  }

  /** A branch that begins after the message `through` of its parent, or of an ancestor of it. 0: before its first. */
  insert(taskId: string, parent: { readonly branchId: number; readonly through: number }, createdAt: number): number {
    return this.#insert.run(taskId, parent.branchId, parent.through, createdAt).lastInsertRowid;
  }

  /** The prefixes that make up a task's conversation, the oldest first; each has lower message ids than the next. */
  ofTask(taskId: string): readonly Prefix[] {
    return this.#lineage.all(taskId) as unknown as Prefix[];
  }

  /** The same of any branch, for what came after a rewind. */
  ofBranch(branchId: number): readonly Prefix[] {
    return this.#lineageOfBranch.all(branchId) as unknown as Prefix[];
  }
}
