import { BranchTable, CURRENT_BRANCH, type Prefix, lineageOf } from "./branches.ts";
import type { MessageRange } from "./file-changes.ts";
import { Table } from "./table.ts";

/** A message of a task's own conversation. */
export interface PlacedMessage {
  readonly id: number;
  readonly branchId: number;
  readonly turnId: string;
  readonly role: "user" | "assistant" | "tool";
}

/** A branch of a task, for a person who looks for what came after a rewind. */
export interface BranchRow {
  readonly branchId: number;
  /** The last message that it shares with the branch it began from; 0 without one. */
  readonly through: number;
  /** Its first own message; null without one. */
  readonly first: number | null;
  readonly createdAt: number;
  readonly isCurrent: boolean;
}

const PLACED = "id, branch as branchId, messages.turn_id as turnId, role";

/** Where messages are in the conversation of a task: on which branch, and what comes before and after them. */
export class ConversationTable extends Table {
  readonly #branches = new BranchTable(this.store);
  readonly #find = this.db.prepare(
    `${lineageOf(CURRENT_BRANCH)} select ${PLACED} from messages join lineage on branch = branch_id and id <= through
     where id = ?2`,
  );
  readonly #ofTurn = this.db.prepare(
    `select ${PLACED} from messages where turn_id = ? and thread = '' and branch = ? and id > ? and id <= ? order by id`,
  );
  readonly #last = this.db.prepare(
    `select ${PLACED} from messages where branch = ? and id <= ? order by id desc limit 1`,
  );
  readonly #all = this.db.prepare(
    `select branches.branch_id as branchId, coalesce(branches.through, 0) as through, branches.created_at as createdAt,
       (select min(id) from messages where branch = branches.branch_id) as first,
       branches.branch_id = tasks.branch_id as isCurrent
     from branches join tasks using (task_id) where task_id = ? order by branches.branch_id`,
  );
  readonly #row = this.db.prepare(`select ${PLACED} from messages where id = ? and branch is not null`);
  readonly #content = this.db.prepare("select content from messages where id = ?");
  readonly #taskOf = this.db.prepare("select task_id as taskId from branches where branch_id = ?");

  /** Null for a message that the task's conversation does not have. */
  find(taskId: string, id: number): PlacedMessage | null {
    return (this.#find.get(taskId, id) ?? null) as unknown as PlacedMessage | null;
  }

  /** The last row of what is shown as one message: a user's, or all answers of a turn up to the next user's message. */
  endOf(taskId: string, message: PlacedMessage): number {
    if (message.role === "user") return message.id;
    const through = this.#throughOf(taskId, message.branchId);
    const after = this.#ofTurn.all(message.turnId, message.branchId, message.id, through) as unknown as PlacedMessage[];
    const until = after.findIndex(({ role }) => role === "user");
    return (until === -1 ? after : after.slice(0, until)).at(-1)?.id ?? message.id;
  }

  /** The first row of what is shown as one message, by which it is named. */
  startOf(message: PlacedMessage): PlacedMessage {
    if (message.role === "user") return message;
    const upTo = this.#ofTurn.all(message.turnId, message.branchId, 0, message.id) as unknown as PlacedMessage[];
    const user = upTo.findLastIndex(({ role }) => role === "user");
    return upTo[user + 1] ?? message;
  }

  /** The id by which clients know what a row is shown in; null without a row. */
  shownId(id: number | null): string | null {
    const row = id === null ? undefined : this.#row.get(id);
    return row === undefined ? null : `msg_${this.startOf(row as unknown as PlacedMessage).id}`;
  }

  /** The first message of a turn; null when the conversation has none of it. */
  openingOf(taskId: string, turnId: string): PlacedMessage | null {
    const { branchId = 0 } = this.#branches.ofTask(taskId).at(-1) ?? {};
    const [first] = this.#ofTurn.all(turnId, branchId, 0, Number.MAX_SAFE_INTEGER) as unknown as PlacedMessage[];
    return first ?? null;
  }

  /** Its content, as it is stored. */
  contentOf({ id }: PlacedMessage): unknown {
    return JSON.parse(String(this.#content.get(id)?.["content"])) as unknown;
  }

  /** The last message of the conversation up to an id; null when there is none. */
  lastUpTo(taskId: string, through = Number.MAX_SAFE_INTEGER): PlacedMessage | null {
    for (const prefix of this.#branches.ofTask(taskId).toReversed()) {
      const row = this.#last.get(prefix.branchId, Math.min(prefix.through, through));
      if (row !== undefined) return row as unknown as PlacedMessage;
    }
    return null;
  }

  /** The prefix that ends with a message; before the first message without one. */
  prefixTo(taskId: string, last: PlacedMessage | null): Prefix {
    if (last !== null) return { branchId: last.branchId, through: last.id };
    return { branchId: this.#branches.ofTask(taskId)[0]?.branchId ?? 0, through: 0 };
  }

  /** What calls in this conversation changed after a message: those of the task, and of each it was forked from. */
  rangesAfter(taskId: string, above: number): readonly MessageRange[] {
    const ranges = new Map<string, MessageRange>([[taskId, { taskId, above, through: Number.MAX_SAFE_INTEGER }]]);
    for (const { branchId, through } of this.#branches.ofTask(taskId)) {
      const owner = String(this.#taskOf.get(branchId)?.["taskId"]);
      if (owner !== taskId && through > above) ranges.set(owner, { taskId: owner, above, through });
    }
    return [...ranges.values()];
  }

  /** All branches that a task's conversation has been on, the oldest first. */
  branchesOf(taskId: string): BranchRow[] {
    return this.#all.all(taskId).map((row) => ({
      ...(row as unknown as BranchRow),
      isCurrent: row["isCurrent"] === 1,
    }));
  }

  #throughOf(taskId: string, branchId: number): number {
    return this.#branches.ofTask(taskId).find((prefix) => prefix.branchId === branchId)?.through ?? 0;
  }
}
