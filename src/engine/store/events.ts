import { EventPlaces } from "./event-places.ts";
import { EventStamper, type Stamp } from "./event-stamp.ts";
import { Table } from "./table.ts";

/** One event. `body` is its JSON as stored, `data` the same with the stamp, as on the wire. */
export interface EventRow extends Stamp {
  readonly type: string;
  readonly body: string;
  readonly data: string;
}

/** Which events to read: those after the cursors, of all tasks or of one task or turn. */
export interface EventFilter {
  readonly afterSeq?: number | undefined;
  readonly afterTs?: number | undefined;
  readonly taskId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly limit: number;
  /** Stops after the event that reaches this total length. */
  readonly maxLength?: number;
}

/** Whether an event matches a filter, without its limits. */
export const isWanted = (row: EventRow, { afterSeq = 0, afterTs = 0, taskId, turnId, types }: EventFilter): boolean =>
  row.seq > afterSeq &&
  row.ts > afterTs &&
  (taskId ?? row.taskId) === row.taskId &&
  (turnId ?? row.turnId) === row.turnId &&
  (types === undefined || types.includes(row.type));

/** Maximum events and text per row: reading one event reads its whole row. */
const MAX_RUN = 64;
const MAX_RUN_LENGTH = 64 * 1024;

/**
 * The event log. A row holds consecutive events of one turn, one per line: type, time, body. A fast stream costs a tenth
 * of a row per event. Guarded by `bench/parts/deltas.ts`.
 */
export class EventTable extends Table {
  readonly #places = new EventPlaces(this.store);
  readonly #insert = this.db.prepare(
    "insert into events (last_seq, last_ts, task_id, turn_id, lines) values (?, ?, ?, ?, ?)",
  );
  readonly #stamper = new EventStamper();

  /** Stores the events and runs `alongside` in one transaction. */
  insert(
    rows: readonly EventRow[],
    alongside: () => void = () => undefined,
    options: { readonly durable?: boolean } = {},
  ): void {
    try {
      this.store.transaction(() => {
        alongside();
        this.#insertAll(rows);
      }, options);
    } catch (error) {
      this.#places.rolledBack();
      throw error;
    }
  }

  /** Whether a transaction is open. SQLite rolls it back automatically when a write fails. */
  get isStoring(): boolean {
    return this.db.isTransaction;
  }

  /** The stamp of the last event ever written, deleted ones included. */
  last(): { readonly seq: number; readonly ts: number } {
    const row = this.db.prepare("select last_seq, last_ts from events order by last_seq desc limit 1").get();
    const floor = this.store.state.get("events_floor") ?? { seq: 0, ts: 0 };
    if (row === undefined || Number(row["last_seq"]) < floor.seq) return floor;
    return { seq: Number(row["last_seq"]), ts: Number(row["last_ts"]) };
  }

  /** The number of the last event, which none takes again, though it is deleted. Runs in a transaction of the caller. */
  keepFloor(): number {
    const last = this.last();
    this.store.state.set("events_floor", last);
    return last.seq;
  }

  /** Deletes the events of a task up to a number, in steps. Each returns how many rows it has deleted. */
  *removal(taskId: string, through: number): Generator<() => number, void> {
    const remove = this.db.prepare("delete from events where last_seq between ? and ? and task_id = ?");
    // The list is read before the steps change it.
    const stretches = Array.from(this.#places.of(taskId, 0));
    for (const { first, last } of stretches) yield () => remove.run(first, Math.min(last, through), taskId).changes;
    yield () => {
      this.#places.remove([taskId], through);
      return 0;
    };
  }

  /** Deletes what tells where the events of turns are. */
  forgetTurns(turnIds: readonly string[]): void {
    this.#places.remove(turnIds, Infinity);
  }

  read({ afterSeq = 0, afterTs = 0, taskId, turnId, types, limit, maxLength = Infinity }: EventFilter): EventRow[] {
    const wanted = (seq: number, ts: number, type: string) =>
      seq > afterSeq && ts > afterTs && (types === undefined || types.includes(type));
    const found: EventRow[] = [];
    let length = 0;
    const after = afterTs > 0 ? Math.max(afterSeq, this.#lastBy(afterTs)) : afterSeq;
    for (const run of this.#runs(after, { taskId, turnId })) {
      for (const event of eventsOf(run, { wanted, stamper: this.#stamper })) {
        found.push(event);
        length += event.data.length;
        if (found.length === limit || length >= maxLength) return found;
      }
    }
    return found;
  }

  /** The oldest event kept. */
  oldest(): { readonly seq: number; readonly ts: number } | null {
    return this.read({ limit: 1 })[0] ?? null;
  }

  /** Deletes events older than `beforeTs` or beyond the newest `keep`, but never those of a running turn. */
  prune(beforeTs: number, keep: number): void {
    const last = this.last().seq;
    const through = Math.min(last - 1, Math.max(last - keep, this.#lastBy(beforeTs - 1)));
    this.db
      .prepare(
        "delete from events where last_seq <= ? and turn_id not in (select turn_id from turns where state = 'running')",
      )
      .run(through);
    this.#places.prune(this.oldest()?.seq ?? 0);
  }

  /** The rows that may hold events of a task or a turn after a number, in order. */
  *#runs(after: number, { taskId, turnId }: Pick<EventFilter, "taskId" | "turnId">) {
    const columns = "last_seq, task_id, turn_id, lines";
    const place = turnId ?? taskId;
    if (place === undefined) {
      yield* this.db.prepare(`select ${columns} from events where last_seq > ? order by last_seq`).iterate(after);
      return;
    }
    const own = this.db.prepare(
      `select ${columns} from events where last_seq between ? and ?
       and task_id = coalesce(?, task_id) and turn_id = coalesce(?, turn_id) order by last_seq`,
    );
    for (const { first, last } of this.#places.of(place, after))
      yield* own.iterate(first, last, taskId ?? null, turnId ?? null);
  }

  /** Number of the last row not later than a time, by binary search: numbers and times rise together. */
  #lastBy(ts: number): number {
    const next = this.db.prepare("select last_seq, last_ts from events where last_seq >= ? order by last_seq limit 1");
    let [low, high] = [0, this.last().seq];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const row = next.get(middle);
      if (Number(row?.["last_ts"]) <= ts) low = Number(row?.["last_seq"]);
      else high = middle - 1;
    }
    return low;
  }

  #insertAll(rows: readonly EventRow[]): void {
    let [from, length] = [0, 0];
    for (let to = 1; to <= rows.length; to++) {
      length += rows[to - 1]?.body.length ?? 0;
      const full = to - from >= MAX_RUN || length >= MAX_RUN_LENGTH;
      if (!full && continues(rows[to - 1], rows[to])) continue;
      this.#insertRun(rows, from, to);
      [from, length] = [to, 0];
    }
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
    this.#places.add(last);
  }
}

const continues = (before: EventRow | undefined, row: EventRow | undefined): boolean =>
  before?.turnId === row?.turnId && before?.seq === (row?.seq ?? 0) - 1;

/** The matching events of a row. JSON contains no line breaks, a type no spaces. */
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
