import { BranchTable, CURRENT_BRANCH, type Prefix, lineageOf } from "./branches.ts";
import { Table } from "./table.ts";

/** A message with its id. Later messages have higher ids. */
export interface MessageRow extends StoredMessage {
  readonly id: number;
}

export interface StoredMessage {
  readonly turnId: string;
  readonly role: "user" | "assistant" | "tool";
  /** JSON of the agent room. */
  readonly content: unknown;
  /** Memories recalled for a user message, shown after it. */
  readonly recalled?: string;
}

/** A row of a task's own conversation. */
export interface ConversationRow extends Omit<MessageRow, "recalled"> {
  readonly createdAt: number;
  /** Characters of its content as it is stored. */
  readonly length: number;
}

/** The memories that a turn was shown, and their least trust. */
export interface StoredRecall {
  readonly block: string;
  readonly trust: number;
}

/** The message that began a turn. Others of the user entered it later. */
const FIRST_OF_TURN = `select min(first.id) from messages first
  where first.turn_id = messages.turn_id and first.thread = '' and first.role = 'user'`;
/** What the branches of the task that is the first parameter have beyond its conversation. */
const REWOUND = `from branches left join lineage using (branch_id)
  join messages on branch = branch_id and id > coalesce(lineage.through, 0) where branches.task_id = ?1`;

/**
 * The messages of conversations, in order. A task's own conversation has the thread "" and is made of branches; a nested
 * one has its own name.
 */
export class MessageTable extends Table {
  readonly #branches = new BranchTable(this.store);
  readonly #insert = this.db.prepare(
    `insert into messages (task_id, turn_id, thread, branch, role, created_at, content)
     values (?1, ?2, ?3, iif(?3 = '', (select branch_id from tasks where task_id = ?1), null), ?4, ?5, ?6)`,
  );
  readonly #count = this.db.prepare("update tasks set message_count = message_count + 1 where task_id = ?");
  readonly #previous = this.db.prepare(
    `select role, turn_id as turnId from messages
     where branch = (select branch_id from tasks where task_id = ?) order by id desc limit 1`,
  );
  /** What was recalled is shown with the message that began the turn. */
  readonly #ofBranch = this.db.prepare(
    `select id, turn_id, role, content, iif(block is not null and id = (${FIRST_OF_TURN}), block, null) as block
     from messages left join recalls using (turn_id) where branch = ? and id > ? and id <= ? order by id`,
  );
  readonly #before = this.db.prepare(
    `select id, turn_id, role, content, created_at from messages
     where branch = ? and id <= ? and id < ? order by id desc`,
  );
  readonly #from = this.db.prepare(
    `select id, turn_id, role, content, created_at from messages
     where branch = ? and id <= ? and id >= ? order by id`,
  );
  readonly #lastOfTurns = this.db.prepare(
    `select turn_id, max(id) as id from messages
     where thread = '' and turn_id in (select value from json_each(?)) group by turn_id`,
  );
  readonly #ofThread = this.db.prepare(
    `select id, turn_id, role, content, null as block from messages
     where task_id = ? and thread = ? and thread <> '' and id > ? order by id`,
  );
  readonly #rewound = this.db.prepare(
    `${lineageOf(CURRENT_BRANCH)} select messages.turn_id as turn_id, role, content ${REWOUND} order by id`,
  );
  readonly #rewoundTurns = this.db.prepare(
    `${lineageOf(CURRENT_BRANCH)} select distinct messages.turn_id as turn_id ${REWOUND}`,
  );
  readonly #answers = this.db.prepare(
    "select count(*) as answers from messages where turn_id = ? and thread = ? and role = 'assistant'",
  );
  readonly #last = this.db.prepare(
    "select turn_id, role, content from messages where turn_id = ? and thread = ? order by id desc limit 1",
  );
  readonly #ofTurn = this.db.prepare(
    "select turn_id, role, content, thread from messages where turn_id = ? order by id",
  );
  readonly #hasAnswer = this.db.prepare("select 1 from messages where turn_id = ? and role <> 'user' limit 1");
  readonly #withdraw = this.db.prepare(
    `delete from messages where turn_id = ?2 and id = (${FIRST_OF_TURN}) and branch = (select branch_id from tasks where task_id = ?1)
     and not exists (select 1 from branches where parent_branch_id = messages.branch and through >= messages.id)`,
  );
  readonly #uncount = this.db.prepare("update tasks set message_count = message_count - ? where task_id = ?");
  readonly #insertRecall = this.db.prepare(
    "insert into recalls (turn_id, block, trust, created_at) values (?, ?, ?, ?)",
  );
  readonly #recallOf = this.db.prepare("select block, trust from recalls where turn_id = ?");
  readonly #deleteRecall = this.db.prepare("delete from recalls where turn_id = ?");

  /** Of the thread "": to the current branch of the task, which must have a record. */
  append(taskId: string, { turnId, role, content }: StoredMessage, thread = "", now = Date.now()): void {
    if (thread === "" && this.#isShownAlone(taskId, { turnId, role })) this.#count.run(taskId);
    this.#insert.run(taskId, turnId, thread, role, now, JSON.stringify(content));
  }

  /** Answers of a turn and the results of its calls are shown as one message. */
  #isShownAlone(taskId: string, { turnId, role }: Pick<StoredMessage, "turnId" | "role">): boolean {
    if (role === "user") return true;
    const previous = this.#previous.get(taskId);
    return previous === undefined || previous["role"] === "user" || previous["turnId"] !== turnId;
  }

  /** The conversation of a task, or a nested one. `afterId`: only messages after that id. */
  ofTask(taskId: string, thread = "", afterId = 0): MessageRow[] {
    const rows = thread === "" ? this.#ofLineage(taskId, afterId) : this.#ofThread.all(taskId, thread, afterId);
    return rows.map((row) => ({
      id: Number(row["id"]),
      ...storedMessage(row),
      ...(row["role"] === "user" && row["block"] !== null && { recalled: String(row["block"]) }),
    }));
  }

  /** Those that rewinds took from the conversation of a task. */
  rewound(taskId: string): StoredMessage[] {
    return this.#rewound.all(taskId).map(storedMessage);
  }

  /** The turns of {@link rewound}. */
  rewoundTurns(taskId: string): ReadonlySet<string> {
    return new Set(this.#rewoundTurns.all(taskId).map((row) => String(row["turn_id"])));
  }

  #ofLineage(taskId: string, afterId: number) {
    return this.#branches
      .ofTask(taskId)
      .filter(({ through }) => through > afterId)
      .flatMap(({ branchId, through }: Prefix) => this.#ofBranch.all(branchId, afterId, through));
  }

  /** The rows of a conversation, given by its prefixes, before an id, the last first. */
  *backwards(conversation: readonly Prefix[], beforeId: number): Generator<ConversationRow> {
    for (const { branchId, through } of conversation.toReversed())
      for (const row of this.#before.iterate(branchId, through, beforeId)) yield conversationRow(row);
  }

  /** The rows of a conversation from an id on. */
  *forwards(conversation: readonly Prefix[], fromId: number): Generator<ConversationRow> {
    for (const { branchId, through } of conversation)
      for (const row of this.#from.iterate(branchId, through, fromId)) yield conversationRow(row);
  }

  /** The id of the last message of each turn. */
  lastOfTurns(turnIds: readonly string[]): ReadonlyMap<string, number> {
    const rows = this.#lastOfTurns.all(JSON.stringify(turnIds));
    return new Map(rows.map((row) => [String(row["turn_id"]), Number(row["id"])]));
  }

  /** Stores the block that is shown, byte for byte, with the turn's message. */
  recalled(turnId: string, { block, trust }: StoredRecall, now: number): void {
    this.#insertRecall.run(turnId, block, trust, now);
  }

  recallOf(turnId: string): StoredRecall | null {
    const row = this.#recallOf.get(turnId);
    return row === undefined ? null : { block: String(row["block"]), trust: Number(row["trust"]) };
  }

  /** All messages of a turn, nested conversations included. */
  ofTurn(turnId: string): (StoredMessage & { readonly thread: string })[] {
    return this.#ofTurn.all(turnId).map((row) => ({ ...storedMessage(row), thread: String(row["thread"]) }));
  }

  /** Number of model answers in a turn, and its last message (null when it has none). */
  progress(turnId: string, thread: string): { readonly answers: number; readonly last: StoredMessage | null } {
    const last = this.#last.get(turnId, thread);
    return {
      answers: Number(this.#answers.get(turnId, thread)?.["answers"]),
      last: last === undefined ? null : storedMessage(last),
    };
  }

  hasAnswer(turnId: string): boolean {
    return this.#hasAnswer.get(turnId) !== undefined;
  }

  /**
   * Deletes the message that began a turn which failed without an answer, unless another branch refers to it or the task
   * has left its branch. Messages that entered the turn later stay.
   */
  withdraw(taskId: string, turnId: string): void {
    const { changes } = this.#withdraw.run(taskId, turnId);
    if (changes === 0) return;
    this.#uncount.run(changes, taskId);
    this.#deleteRecall.run(turnId);
  }
}

const conversationRow = (row: Record<string, unknown>): ConversationRow => ({
  id: Number(row["id"]),
  createdAt: Number(row["created_at"]),
  length: String(row["content"]).length,
  ...storedMessage(row),
});

const storedMessage = (row: Record<string, unknown>): StoredMessage => ({
  turnId: String(row["turn_id"]),
  role: row["role"] as StoredMessage["role"],
  content: JSON.parse(String(row["content"])) as unknown,
});
