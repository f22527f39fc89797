import { camelRow } from "./database.ts";
import { Table } from "./table.ts";

/** What the client said of a call. */
export type ClientCallAnswer = { readonly output: unknown } | { readonly error: string };
/** Why a call waits no longer, when no client answered. */
export type ClientCallClosed = "cancelled" | "expired";

/** A call to open. */
export interface NewClientCall {
  readonly toolCallId: string;
  readonly taskId: string;
  readonly turnId: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  /** Of a delegated agent: its name, and the call that started it. */
  readonly agent: string | null;
  readonly parentToolCallId: string | null;
  readonly createdAt: number;
}

export interface ClientCallRow extends NewClientCall {
  readonly answer: ClientCallAnswer | null;
  readonly closedAs: ClientCallClosed | null;
}

const JSON_COLUMNS = ["input", "output_schema", "answer"];

/** Calls that the client runs. A row is open until it has an answer or was closed. */
export class ClientCallTable extends Table {
  readonly #find = this.db.prepare("select * from client_tool_calls where tool_call_id = ?");
  readonly #open = this.db.prepare(
    `select * from client_tool_calls where resolved_at is null and turn_id = coalesce(?, turn_id)
     order by created_at, rowid`,
  );

  insert(row: NewClientCall): void {
    this.db
      .prepare(
        `insert into client_tool_calls (tool_call_id, task_id, turn_id, tool, input, output_schema, agent,
           parent_tool_call_id, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        row.toolCallId,
        row.taskId,
        row.turnId,
        row.tool,
        JSON.stringify(row.input),
        row.outputSchema === null ? null : JSON.stringify(row.outputSchema),
        row.agent,
        row.parentToolCallId,
        row.createdAt,
      );
  }

  /** The first end of a call counts: a later one changes nothing. */
  resolve(
    toolCallId: string,
    end: { readonly answer: ClientCallAnswer } | { readonly closedAs: ClientCallClosed },
    resolvedAt: number,
  ): void {
    const answer = "answer" in end ? JSON.stringify(end.answer) : null;
    const closedAs = "closedAs" in end ? end.closedAs : null;
    this.db
      .prepare(
        `update client_tool_calls set answer = ?, closed_as = ?, resolved_at = ?
         where tool_call_id = ? and resolved_at is null`,
      )
      .run(answer, closedAs, resolvedAt, toolCallId);
  }

  find(toolCallId: string): ClientCallRow | null {
    const row = this.#find.get(toolCallId);
    return row === undefined ? null : (camelRow(row, ...JSON_COLUMNS) as ClientCallRow);
  }

  /** Open calls, the oldest first, optionally of one turn. */
  open(turnId?: string): readonly ClientCallRow[] {
    return this.#open.all(turnId ?? null).map((row) => camelRow(row, ...JSON_COLUMNS) as ClientCallRow);
  }

  /** Deletes calls of ended turns that were resolved before `beforeMs`. */
  prune(beforeMs: number): void {
    this.db
      .prepare(
        `delete from client_tool_calls where resolved_at < ?
         and turn_id not in (select turn_id from turns where state = 'running')`,
      )
      .run(beforeMs);
  }
}
