import { Table } from "./table.ts";
import type { TaskTokens } from "./tasks.ts";

export interface NewTurn {
  readonly turnId: string;
  readonly taskId: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Options of the request, needed to resume the turn after a restart. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
}

interface TurnEnd {
  readonly errorCode: string | null;
  readonly endedAt: number;
  readonly usage: TaskTokens;
  /** Null without an output schema, and of a turn that failed. */
  readonly output: Readonly<Record<string, unknown>> | null;
}

/** A turn that an earlier process left running. */
export interface RunningTurn {
  readonly turnId: string;
  readonly taskId: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  /** Resumes since its last stored step. */
  readonly resumes: number;
  /** Content blocks of stored answers. */
  readonly blocks: number;
}

export interface EndedTurn {
  readonly turnId: string;
  readonly message: string;
  readonly errorCode: string | null;
}

/** What the message of a turn was sent with. */
export interface TurnRequest {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A turn in a list; `rowId` orders them. */
export interface TurnRow {
  readonly rowId: number;
  readonly turnId: string;
  readonly taskId: string;
  readonly state: "running" | "completed" | "errored";
  readonly errorCode: string | null;
  readonly agent: string | null;
  readonly message: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

const TURN_ROW = `rowid as rowId, turn_id as turnId, task_id as taskId, state, error_code as errorCode,
  iif(json_valid(request), request ->> '$.agent', null) as agent, substr(message, 1, 1000) as message, started_at as startedAt, ended_at as endedAt`;

/** How a turn ended, for the messages that it has made. */
export interface TurnResult {
  readonly state: "running" | "completed" | "errored";
  readonly errorCode: string | null;
  /** Null before it ended, and of turns of earlier releases. */
  readonly usage: TaskTokens | null;
  /** Null without an output schema, and of a turn that failed. */
  readonly output: Readonly<Record<string, unknown>> | null;
}

interface TurnOutcome {
  readonly state: "running" | "completed" | "errored";
  /** The code of one that errored. */
  readonly error: string | null;
}

export class TurnTable extends Table {
  readonly #stepped = this.db.prepare("update turns set resumes = 0 where turn_id = ? and resumes > 0");
  readonly #answered = this.db.prepare("update turns set blocks = ? where turn_id = ?");
  readonly #lastEnded = this.db.prepare(
    `select turn_id as turnId, message, error_code as errorCode from turns
     where task_id = ? and state <> 'running' order by started_at desc, turn_id desc limit 1`,
  );
  readonly #insert = this.db.prepare(
    `insert into turns (turn_id, task_id, state, message, metadata, request, started_at)
     values (?, ?, 'running', ?, ?, ?, ?)`,
  );
  readonly #end = this.db.prepare(
    `update turns set state = ?, error_code = ?, ended_at = ?, usage = ?, output = ?
     where turn_id = ? and state = 'running'`,
  );

  /** Throws when the task has a running turn: the unique index decides the race. */
  insert({ turnId, taskId, message, metadata, request, startedAt }: NewTurn): void {
    this.#insert.run(turnId, taskId, message, JSON.stringify(metadata), JSON.stringify(request), startedAt);
  }

  end(turnId: string, { errorCode, endedAt, usage, output }: TurnEnd): void {
    const state = errorCode === null ? "completed" : "errored";
    const stored = output === null ? null : JSON.stringify(output);
    this.#end.run(state, errorCode, endedAt, JSON.stringify(usage), stored, turnId);
  }

  /** The result of an ended turn with an output schema. */
  outputOf(turnId: string): Readonly<Record<string, unknown>> | null {
    const row = this.db.prepare("select output from turns where turn_id = ?").get(turnId);
    const output = row?.["output"] ?? null;
    return output === null ? null : (JSON.parse(String(output)) as Record<string, unknown>);
  }

  requestOf(turnId: string): TurnRequest | null {
    const row = this.db.prepare("select metadata, request from turns where turn_id = ?").get(turnId);
    if (row === undefined) return null;
    const read = (column: string) => JSON.parse(String(row[column])) as Record<string, unknown>;
    return { metadata: read("metadata"), options: read("request") };
  }

  /** Turns that an earlier process left running, oldest first. */
  running(): RunningTurn[] {
    return this.db
      .prepare(
        `select turn_id, task_id, request, started_at, resumes, blocks from turns
         where state = 'running' order by started_at, turn_id`,
      )
      .all()
      .map((row) => ({
        turnId: String(row["turn_id"]),
        taskId: String(row["task_id"]),
        // Parsed lazily, so that an unreadable row fails one turn only.
        get request() {
          return JSON.parse(String(row["request"])) as Record<string, unknown>;
        },
        startedAt: Number(row["started_at"]),
        resumes: Number(row["resumes"]),
        blocks: Number(row["blocks"]),
      }));
  }

  /** Resets the resume count: the turn stored a step. */
  stepped(turnId: string): void {
    this.#stepped.run(turnId);
  }

  /** Records the content blocks up to a stored answer. */
  answered(turnId: string, blocks: number): void {
    this.#answered.run(blocks, turnId);
  }

  resumed(turnId: string): void {
    this.db.prepare("update turns set resumes = resumes + 1 where turn_id = ?").run(turnId);
  }

  /** Resets the resume counts of all running turns: the engine stopped deliberately. */
  parked(): void {
    this.db.exec("update turns set resumes = 0 where state = 'running' and resumes > 0");
  }

  /** The task's last ended turn; null for a new task. */
  lastEnded(taskId: string): EndedTurn | null {
    const row = this.#lastEnded.get(taskId) as unknown as EndedTurn | undefined;
    return row ?? null;
  }

  /** The task's latest turn; null for a new task. */
  lastOf(taskId: string): string | null {
    const row = this.db
      .prepare("select turn_id from turns where task_id = ? order by started_at desc, turn_id desc limit 1")
      .get(taskId);
    return row === undefined ? null : String(row["turn_id"]);
  }

  taskOf(turnId: string): string | null {
    const row = this.db.prepare("select task_id from turns where turn_id = ?").get(turnId);
    return row === undefined ? null : String(row["task_id"]);
  }

  /** The newest first; `before`: only those with a smaller `rowId`. */
  page({
    taskId,
    before,
    limit,
  }: {
    readonly taskId: string | null;
    readonly before: number | null;
    readonly limit: number;
  }): TurnRow[] {
    return this.db
      .prepare(
        `select ${TURN_ROW} from turns where rowid < ?1 and task_id = coalesce(?2, task_id)
         order by rowid desc limit ?3`,
      )
      .all(before ?? Number.MAX_SAFE_INTEGER, taskId, limit) as unknown as TurnRow[];
  }

  find(turnId: string): TurnRow | null {
    const row = this.db.prepare(`select ${TURN_ROW} from turns where turn_id = ?`).get(turnId);
    return (row as unknown as TurnRow | undefined) ?? null;
  }

  /** The results of turns, of those that are stored. */
  results(turnIds: readonly string[]): ReadonlyMap<string, TurnResult> {
    const rows = this.db
      .prepare(
        `select turn_id as turnId, state, error_code as errorCode, usage, output from turns
         where turn_id in (select value from json_each(?))`,
      )
      .all(JSON.stringify(turnIds));
    return new Map(
      rows.map(({ turnId, state, errorCode, usage, output }) => [
        String(turnId),
        { state, errorCode, usage: JSON.parse(String(usage)), output: JSON.parse(String(output)) } as TurnResult,
      ]),
    );
  }

  state(turnId: string): "running" | "completed" | "errored" | null {
    return this.outcome(turnId)?.state ?? null;
  }

  outcome(turnId: string): TurnOutcome | null {
    const row = this.db.prepare("select state, error_code as error from turns where turn_id = ?").get(turnId);
    return (row as unknown as TurnOutcome | undefined) ?? null;
  }
}
