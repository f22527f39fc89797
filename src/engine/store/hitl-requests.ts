import type { HitlKind } from "../../contract/engine/human-request.ts";
import { type SqlRow, camelRow } from "./database.ts";
import { Table } from "./table.ts";

export interface HitlRow {
  readonly requestId: string;
  readonly taskId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly kind: HitlKind;
  readonly question: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly options: readonly string[];
  readonly allowFreeText: boolean;
  readonly createdAt: number;
  readonly answer: string | null;
  /** No human answered; `answer` is the reason: cancelled or expired. */
  readonly closedByEngine: boolean;
  readonly resolvedAt: number | null;
}

export class HitlTable extends Table {
  readonly #openOfTurn = this.db.prepare(
    "select * from hitl_requests where resolved_at is null and turn_id = ? order by created_at, request_id",
  );

  insert(row: Omit<HitlRow, "answer" | "closedByEngine" | "resolvedAt">): void {
    this.db
      .prepare(
        `insert into hitl_requests (request_id, task_id, turn_id, tool_call_id, kind, question, context, options,
           allow_free_text, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        row.requestId,
        row.taskId,
        row.turnId,
        row.toolCallId,
        row.kind,
        row.question,
        JSON.stringify(row.context),
        JSON.stringify(row.options),
        row.allowFreeText ? 1 : 0,
        row.createdAt,
      );
  }

  /** The first answer wins: a later one changes nothing. */
  resolve(
    requestId: string,
    {
      answer,
      closedByEngine,
      resolvedAt,
    }: { readonly answer: string; readonly closedByEngine: boolean; readonly resolvedAt: number },
  ): void {
    this.db
      .prepare(
        `update hitl_requests set answer = ?, lapsed = ?, resolved_at = ?
         where request_id = ? and resolved_at is null`,
      )
      .run(answer, closedByEngine ? 1 : 0, resolvedAt, requestId);
  }

  find(requestId: string): HitlRow | null {
    const row = this.db.prepare("select * from hitl_requests where request_id = ?").get(requestId);
    return row === undefined ? null : hitlRow(row);
  }

  /** All requests of a tool call, in order. */
  ofCall(turnId: string, toolCallId: string): HitlRow[] {
    return this.db
      .prepare("select * from hitl_requests where turn_id = ? and tool_call_id = ? order by created_at, request_id")
      .all(turnId, toolCallId)
      .map(hitlRow);
  }

  /** All requests of turns, in order. */
  ofTurns(turnIds: readonly string[]): HitlRow[] {
    return this.db
      .prepare(
        "select * from hitl_requests where turn_id in (select value from json_each(?)) order by created_at, request_id",
      )
      .all(JSON.stringify(turnIds))
      .map(hitlRow);
  }

  /** Number of open requests of each task that has one. */
  openByTask(): ReadonlyMap<string, number> {
    const rows = this.db
      .prepare("select task_id, count(*) as n from hitl_requests where resolved_at is null group by task_id")
      .all();
    return new Map(rows.map((row) => [String(row["task_id"]), Number(row["n"])]));
  }

  /** Open requests, oldest first, optionally of one turn. */
  open(turnId?: string): HitlRow[] {
    const { db } = this.store;
    const rows =
      turnId === undefined
        ? db.prepare("select * from hitl_requests where resolved_at is null order by created_at, request_id").all()
        : this.#openOfTurn.all(turnId);
    return rows.map(hitlRow);
  }
}

export const hitlRow = (row: SqlRow): HitlRow => ({
  ...(camelRow(row, "context", "options") as HitlRow),
  allowFreeText: row["allow_free_text"] === 1,
  closedByEngine: row["lapsed"] === 1,
});
