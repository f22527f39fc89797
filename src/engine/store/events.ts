import { EventStamper, type Stamp } from "./event-stamp.ts";
import type { Store } from "./open-store.ts";

/** One event: `body` is its own JSON as it is kept, `data` the same with the stamp in it, as it goes on the wire. */
export interface EventRow extends Stamp {
  readonly type: string;
  readonly body: string;
  readonly data: string;
}

/** What to read: events behind a cursor, of all or of one task or turn, in order. */
export interface EventFilter {
  readonly afterSeq?: number | undefined;
  readonly afterTs?: number | undefined;
  readonly taskId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly limit: number;
  /** Stops behind the event that reaches this length. */
  readonly maxLength?: number;
}

/** As many events, and about as much text, as one row holds: reading one event reads its row. */
const MAX_RUN = 64;
const MAX_RUN_LENGTH = 64 * 1024;

/**
 * The log of events. A row holds a run of one turn's events that were stored together and have consecutive numbers, one
 * a line: type, time, body. A fast stream so costs a tenth of what a row an event would.
 */
export class EventTable {
  readonly #store: Store;
  readonly #insert;
  readonly #stamper = new EventStamper();

  constructor(store: Store) {
    this.#store = store;
    this.#insert = store.db.prepare(
      "insert into events (last_seq, last_ts, task_id, turn_id, lines) values (?, ?, ?, ?, ?)",
    );
  }

  /** All or none, and with them what belongs to them in other tables. */
  insert(
    rows: readonly EventRow[],
    alongside: () => void = () => undefined,
    how: { readonly durable?: boolean } = {},
  ): void {
    this.#store.transaction(() => {
      alongside();
      let [from, length] = [0, 0];
      for (let to = 1; to <= rows.length; to++) {
        length += rows[to - 1]?.body.length ?? 0;
        const full = to - from >= MAX_RUN || length >= MAX_RUN_LENGTH;
        if (!full && continues(rows[to - 1], rows[to])) continue;
        this.#insertRun(rows, from, to);
        [from, length] = [to, 0];
      }
    }, how);
  }

  /** The stamp of the last event ever written, be it erased since. */
  last(): { readonly seq: number; readonly ts: number } {
    const row = this.#store.db.prepare("select last_seq, last_ts from events order by last_seq desc limit 1").get();
    if (row === undefined) return this.#store.state.get("events_floor") ?? { seq: 0, ts: 0 };
    return { seq: Number(row["last_seq"]), ts: Number(row["last_ts"]) };
  }

  read({ afterSeq, afterTs, taskId, turnId, types, limit, maxLength = Infinity }: EventFilter): EventRow[] {
    const conditions: [string, string | number | undefined][] = [
      ["last_seq > ?", afterSeq],
      ["last_ts > ?", afterTs],
      ["task_id = ?", taskId],
      ["turn_id = ?", turnId],
    ];
    const given = conditions.filter((condition): condition is [string, string | number] => condition[1] !== undefined);
    const where = given.length === 0 ? "" : `where ${given.map(([sql]) => sql).join(" and ")}`;
    const runs = this.#store.db
      .prepare(`select last_seq, task_id, turn_id, lines from events ${where} order by last_seq`)
      .iterate(...given.map(([, value]) => value));
    const wanted = (seq: number, ts: number, type: string) =>
      seq > (afterSeq ?? 0) && ts > (afterTs ?? 0) && (types === undefined || types.includes(type));
    const found: EventRow[] = [];
    let length = 0;
    for (const run of runs) {
      for (const event of eventsOf(run, { wanted, stamper: this.#stamper })) {
        found.push(event);
        length += event.data.length;
        if (found.length === limit || length >= maxLength) return found;
      }
    }
    return found;
  }

  /** The oldest event kept: when its number is not 1, others have been dropped before it. */
  oldest(): { readonly seq: number; readonly ts: number } | null {
    return this.read({ limit: 1 })[0] ?? null;
  }

  /** Drops what is older than `beforeTs` or beyond the newest `keep`, but never events of a turn still running. */
  prune(beforeTs: number, keep: number): void {
    this.#store.db
      .prepare(
        `delete from events where (last_ts < ? or last_seq <= (select max(last_seq) from events) - ?)
         and last_seq < (select max(last_seq) from events)
         and turn_id not in (select turn_id from turns where state = 'running')`,
      )
      .run(beforeTs, keep);
  }

  #insertRun(rows: readonly EventRow[], from: number, to: number): void {
    const last = rows[to - 1];
    if (last === undefined) return;
    let lines = "";
    for (let index = from; index < to; index++) {
      const row = rows[index];
      if (row !== undefined) lines += `${index === from ? "" : "\n"}${row.type} ${row.ts} ${row.body}`;
    }
    this.#insert.run(last.seq, last.ts, last.taskId, last.turnId, lines);
  }
}

const continues = (before: EventRow | undefined, row: EventRow | undefined): boolean =>
  before?.turnId === row?.turnId && before?.seq === (row?.seq ?? 0) - 1;

/** The events of a row that are wanted. JSON holds no line breaks, and a type no blanks. */
function* eventsOf(
  run: Record<string, unknown>,
  {
    wanted,
    stamper,
  }: {
    readonly wanted: (seq: number, ts: number, type: string) => boolean;
    readonly stamper: EventStamper;
  },
): Generator<EventRow> {
  const lines = String(run["lines"]).split("\n");
  const firstSeq = Number(run["last_seq"]) - lines.length + 1;
  const taskId = String(run["task_id"]);
  const turnId = String(run["turn_id"]);
  for (const [index, line] of lines.entries()) {
    const time = line.indexOf(" ") + 1;
    const rest = line.indexOf(" ", time) + 1;
    const type = line.slice(0, time - 1);
    const stamp = { seq: firstSeq + index, ts: Number(line.slice(time, rest - 1)), taskId, turnId };
    if (!wanted(stamp.seq, stamp.ts, type)) continue;
    const body = line.slice(rest);
    yield { ...stamp, type, body, data: stamper.stamp(body, stamp) };
  }
}
