import type { EngineEvent } from "../../contract/engine-events.ts";
import { type EventFilter, type EventRow, type EventTable, withStamp } from "../store/events.ts";
import { RisingClock } from "./rising-clock.ts";

export type { EventRow } from "../store/events.ts";

/** An event the agent may emit: heartbeats belong to readers and are never stored. */
export type JournalEvent = Exclude<EngineEvent, { event: "heartbeat" }>;
/** Heartbeats draw from the clock and leave no row: after a restart times must be behind theirs too. */
const UNSTORED_DRAWS = 1000;
export const EVERY_TASK = Symbol("every task");
export type Reader = (rows: readonly EventRow[]) => void;

/**
 * The one road of events: stamped in the order they happen, stored, and only then handed to the readers. What happens
 * within one turn of the event loop is one transaction.
 */
export class EventJournal {
  readonly #table: EventTable;
  readonly #clock: RisingClock;
  readonly #readers = new Map<string | typeof EVERY_TASK, Set<Reader>>();
  #seq: number;
  #lastTs: number;
  #pending: EventRow[] = [];
  #scheduled: NodeJS.Immediate | undefined;

  constructor(table: EventTable, now: () => number = Date.now) {
    this.#table = table;
    const last = table.last();
    this.#seq = last.seq;
    this.#lastTs = last.ts;
    this.#clock = new RisingClock(last.ts + UNSTORED_DRAWS, now);
  }

  append(taskId: string, turnId: string, { event, data }: JournalEvent): void {
    const ts = this.#clock.draw();
    const seq = ++this.#seq;
    this.#lastTs = ts;
    // Its ids are those of the stamp, its time is the stamp's.
    const own =
      event === "thread_lifecycle"
        ? { ...data, task_id: undefined, turn_id: undefined, timestamp: new Date(ts).toISOString() }
        : data;
    const body = JSON.stringify(own);
    this.#pending.push({
      seq,
      ts,
      taskId,
      turnId,
      type: event,
      body,
      data: withStamp(body, { seq, ts, taskId, turnId }),
    });
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Stores what is pending now and hands it on. Throws when it cannot be stored: nothing is handed on then. */
  flush(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const rows = this.#store();
    this.#deliver(rows);
  }

  /**
   * Stores what is pending and, in the same transaction, `alongside`; does `between`, and only then hands the rows on:
   * for the end of a turn, whose slot must be free before anybody can see its last event.
   */
  flushAfter({ alongside, between }: { alongside: () => void; between: () => void }): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const rows = this.#store(alongside);
    between();
    this.#deliver(rows);
  }

  /** Hands a task's events (or all) to `reader` from now on, in batches, each as soon as it is stored. Returns the undo. */
  subscribe(taskId: string | typeof EVERY_TASK, reader: Reader): () => void {
    const readers = this.#readers.get(taskId) ?? new Set();
    this.#readers.set(taskId, readers.add(reader));
    return () => {
      readers.delete(reader);
      if (readers.size === 0 && this.#readers.get(taskId) === readers) this.#readers.delete(taskId);
    };
  }

  /** How many follow events now: a task's, or in all. */
  readerCount(taskId?: string): number {
    if (taskId !== undefined) return this.#readers.get(taskId)?.size ?? 0;
    return [...this.#readers.values()].reduce((sum, readers) => sum + readers.size, 0);
  }

  read(filter: EventFilter): EventRow[] {
    return this.#table.read(filter);
  }

  prune(beforeTs: number, keep: number): void {
    this.#table.prune(beforeTs, keep);
  }

  /** When something last happened, ISO; null in an engine that has done nothing yet. */
  get lastActiveAt(): string | null {
    return this.#lastTs === 0 ? null : new Date(this.#lastTs).toISOString();
  }

  oldest(): { readonly seq: number; readonly ts: number } | null {
    return this.#table.oldest();
  }

  /** A time of the same clock, behind everything that has been stored and handed on: an exact cursor for a reader. */
  cut(): string {
    this.flush();
    return new Date(this.#clock.draw()).toISOString();
  }

  #store(alongside?: () => void): readonly EventRow[] {
    const rows = this.#pending;
    if (rows.length === 0 && alongside === undefined) return rows;
    this.#table.insert(rows, alongside);
    this.#pending = [];
    return rows;
  }

  #deliver(rows: readonly EventRow[]): void {
    let from = 0;
    for (let to = 1; to <= rows.length; to++) {
      const taskId = rows[from]?.taskId ?? "";
      if (to < rows.length && rows[to]?.taskId === taskId) continue;
      const batch = from === 0 && to === rows.length ? rows : rows.slice(from, to);
      for (const reader of this.#readers.get(taskId) ?? []) reader(batch);
      from = to;
    }
    if (rows.length > 0) for (const reader of this.#readers.get(EVERY_TASK) ?? []) reader(rows);
  }
}
