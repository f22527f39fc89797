import type { ToolVerdict } from "../../contract/engine/tool-hook-limits.ts";
import { camelRow } from "./database.ts";
import { Table } from "./table.ts";

/** Names a call. */
export interface CallKey {
  readonly turnId: string;
  readonly toolCallId: string;
}

export interface ToolVerdictRow extends CallKey, Omit<ToolVerdict, "verdict"> {
  readonly inputHash: string;
  readonly attempt: number;
  /** Null while the product has not decided. */
  readonly verdict: ToolVerdict["verdict"] | null;
}

/** A decision that a person may want to know of. */
export interface ShownVerdict extends ToolVerdictRow {
  readonly verdict: Exclude<ToolVerdict["verdict"], "allow">;
}

/** What the product decided about calls. */
export class ToolVerdictTable extends Table {
  readonly #find = this.db.prepare("select * from tool_verdicts where turn_id = ? and tool_call_id = ?");
  readonly #ask = this.db.prepare(
    `insert into tool_verdicts (turn_id, tool_call_id, input_hash, attempt, asked_at) values (?, ?, ?, 1, ?)
     on conflict do update set attempt = attempt + 1, input_hash = excluded.input_hash, asked_at = excluded.asked_at,
       verdict = null, reason = null, input = null, error = null, decided_at = null
     returning attempt`,
  );
  readonly #decide = this.db.prepare(
    `update tool_verdicts set verdict = ?, reason = ?, input = ?, error = ?, decided_at = ?
     where turn_id = ? and tool_call_id = ? and attempt = ? and verdict is null`,
  );
  /** A permission without a change tells nobody anything later. */
  readonly #close = this.db.prepare(
    "delete from tool_verdicts where turn_id = ? and (verdict is null or (verdict = 'allow' and error is null))",
  );

  /** Records that the product is asked. Returns the number of the attempt. */
  ask({ turnId, toolCallId }: CallKey, inputHash: string, at: number): number {
    return Number(this.#ask.get(turnId, toolCallId, inputHash, at)?.["attempt"]);
  }

  /** The first decision of an attempt counts. False for any other. */
  decide(
    { turnId, toolCallId, attempt }: CallKey & { readonly attempt: number },
    { verdict, reason, input, error }: ToolVerdict,
    at: number,
  ): boolean {
    const changed = input === null ? null : JSON.stringify(input);
    return this.#decide.run(verdict, reason, changed, error, at, turnId, toolCallId, attempt).changes > 0;
  }

  find({ turnId, toolCallId }: CallKey): ToolVerdictRow | null {
    const row = this.#find.get(turnId, toolCallId);
    return row === undefined ? null : (camelRow(row, "input") as ToolVerdictRow);
  }

  ofTurns(turnIds: readonly string[]): ShownVerdict[] {
    return this.db
      .prepare(
        `select * from tool_verdicts
         where turn_id in (select value from json_each(?)) and verdict is not null and verdict <> 'allow'`,
      )
      .all(JSON.stringify(turnIds))
      .map((row) => camelRow(row, "input") as ShownVerdict);
  }

  /** To be called when the turn has ended. */
  closeAll(turnId: string): void {
    this.#close.run(turnId);
  }
}
