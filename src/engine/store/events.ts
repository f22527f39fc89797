import type { Store } from "./open-store.ts";

/** One event as it is kept: `data` is the JSON that goes on the wire, stamp included. */
export interface EventRow {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly ts: number;
  readonly taskId: string;
  readonly turnId: string;
  readonly type: string;
  readonly data: string;
}

/** What to read: events behind a cursor, of all or of one task or turn, in order. */
export interface EventFilter {
  readonly afterSeq?: number | undefined;
  readonly afterTs?: number | undefined;
  readonly taskId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly type?: string | undefined;
  readonly limit: number;
}

export class EventTable {
  readonly #store: Store;
  readonly #insert;

  constructor(store: Store) {
    this.#store = store;
    this.#insert = store.db.prepare(
      "insert into events (seq, ts, task_id, turn_id, type, data) values (?, ?, ?, ?, ?, ?)",
    );
  }

  /** All or none, and with them what belongs to them in other tables. */
  insert(rows: readonly EventRow[], alongside: () => void = () => undefined): void {
    this.#store.transaction(() => {
      alongside();
      for (const { seq, ts, taskId, turnId, type, data } of rows) this.#insert.run(seq, ts, taskId, turnId, type, data);
    });
  }

  /** The stamp of the last event ever written. */
  last(): { readonly seq: number; readonly ts: number } {
    const row = this.#store.db.prepare("select seq, ts from events order by seq desc limit 1").get();
    return { seq: Number(row?.["seq"] ?? 0), ts: Number(row?.["ts"] ?? 0) };
  }

  read({ afterSeq, afterTs, taskId, turnId, type, limit }: EventFilter): EventRow[] {
    const conditions: [string, string | number | undefined][] = [
      ["seq > ?", afterSeq],
      ["ts > ?", afterTs],
      ["task_id = ?", taskId],
      ["turn_id = ?", turnId],
      ["type = ?", type],
    ];
    const given = conditions.filter((condition): condition is [string, string | number] => condition[1] !== undefined);
    const where = given.length === 0 ? "" : `where ${given.map(([sql]) => sql).join(" and ")}`;
    return this.#store.db
      .prepare(
        `select seq, ts, task_id as taskId, turn_id as turnId, type, data from events ${where} order by seq limit ?`,
      )
      .all(...given.map(([, value]) => value), limit) as unknown as EventRow[];
  }

  /** The oldest event kept, and whether any was dropped before it: sequence numbers start at 1. */
  oldest(): { readonly seq: number; readonly ts: number } | null {
    const row = this.#store.db.prepare("select seq, ts from events order by seq limit 1").get();
    return row === undefined ? null : { seq: Number(row["seq"]), ts: Number(row["ts"]) };
  }

  /** Drops what is older than `beforeTs` or beyond the newest `keep`, but never events of a turn still running. */
  prune(beforeTs: number, keep: number): void {
    this.#store.db
      .prepare(
        `delete from events where (ts < ? or seq <= (select max(seq) from events) - ?)
         and seq < (select max(seq) from events)
         and turn_id not in (select turn_id from turns where state = 'running')`,
      )
      .run(beforeTs, keep);
  }
}
