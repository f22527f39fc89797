import type { ModelRequestSummary } from "../../contract/engine/turn.ts";
import { Table } from "./table.ts";

/** A request to store; `request` is compressed. */
export interface NewModelRequest {
  readonly turnId: string;
  readonly summary: Omit<ModelRequestSummary, "number">;
  readonly request: Uint8Array;
}

export interface RequestBounds {
  readonly count: number;
  readonly bytes: number;
}

/** The requests to models, in the order in which their answers ended. */
export class ModelRequestTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into model_requests (turn_id, number, kept_at, bytes, summary, request)
     values (?1, (select coalesce(max(number), 0) + 1 from model_requests where turn_id = ?1), ?2, ?3, ?4, ?5)`,
  );
  readonly #total = this.db.prepare("select count(*) as count, coalesce(sum(bytes), 0) as bytes from model_requests");
  readonly #oldest = this.db.prepare("select id, bytes from model_requests order by id");
  readonly #delete = this.db.prepare("delete from model_requests where id <= ?");

  /** Stores them, and deletes the oldest beyond the bounds, in one transaction. */
  insert(requests: readonly NewModelRequest[], now: number, bounds: RequestBounds): void {
    this.store.transaction(() => {
      for (const { turnId, summary, request } of requests)
        this.#insert.run(turnId, now, request.byteLength, JSON.stringify(summary), request);
      this.#trim(bounds);
    });
  }

  ofTurn(turnId: string): readonly ModelRequestSummary[] {
    return this.db
      .prepare("select number, summary from model_requests where turn_id = ? order by number")
      .all(turnId)
      .map(summaryOf);
  }

  find(turnId: string, number: number): { readonly summary: ModelRequestSummary; readonly request: Uint8Array } | null {
    const row = this.db
      .prepare("select number, summary, request from model_requests where turn_id = ? and number = ?")
      .get(turnId, number);
    return row === undefined ? null : { summary: summaryOf(row), request: row["request"] as Uint8Array };
  }

  prune(before: number): void {
    this.db.prepare("delete from model_requests where kept_at < ?").run(before);
  }

  #trim(bounds: RequestBounds): void {
    const total = this.#total.get();
    let [count, bytes] = [Number(total?.["count"]), Number(total?.["bytes"])];
    if (count <= bounds.count && bytes <= bounds.bytes) return;
    let last = 0;
    for (const row of this.#oldest.iterate()) {
      if (count <= bounds.count && bytes <= bounds.bytes) break;
      last = Number(row["id"]);
      count--;
      bytes -= Number(row["bytes"]);
    }
    this.#delete.run(last);
  }
}

function summaryOf(row: Record<string, unknown>): ModelRequestSummary {
  const stored = JSON.parse(String(row["summary"])) as Omit<ModelRequestSummary, "number">;
  // An engine of an earlier release stored no part for context.
  const context = { ...stored.context, parts: { ...stored.context.parts, context: stored.context.parts.context ?? 0 } };
  return { number: Number(row["number"]), ...stored, context };
}
