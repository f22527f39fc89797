import type { EngineEvent } from "../../contract/engine-events.ts";
import { oneLine } from "../../shared/one-line.ts";
import { EventStamper } from "../store/event-stamp.ts";
import { type EventFilter, type EventRow, type EventTable, isWanted } from "../store/events.ts";
import { RisingClock } from "./rising-clock.ts";

export type { EventRow } from "../store/events.ts";

/** An event the agent may emit: heartbeats belong to readers and are never stored. */
export type JournalEvent = Exclude<EngineEvent, { event: "heartbeat" }>;
/** Heartbeats draw from the clock and leave no row: after a restart times must be behind theirs too. */
const UNSTORED_DRAWS = 1000;
export const EVERY_TASK = Symbol("every task");
export type Reader = (rows: readonly EventRow[]) => void;
const TRY_AGAIN_MS = 1000;
/** So long an end waits to be stored; a reader of a disk that stays full is then told it all the same. */
const TELL_UNSTORED_MS = 3000;
/**
 * A fast stream is stored in larger pieces: while so many more come with each turn of the event loop, up to so many and
 * for so long. Words that come at the pace of models do not wait for each other.
 */
const GATHERED = { more: 32, events: 256, forMs: 1 };

/** The end of a turn: what is stored together with its last events, and what is done before anybody sees them. */
interface Ending {
  readonly alongside: () => void;
  readonly between: () => void;
  /** Of the monotonic clock. */
  readonly since: number;
}

/** How many of what waits to be stored, always the first of it, were told before they could be. */
interface Told {
  readonly events: number;
  readonly endings: number;
}
const NOTHING_TOLD: Told = { events: 0, endings: 0 };

/**
 * The one road of events: stamped in the order they happen, stored, and only then handed to the readers. What happens
 * within one turn of the event loop is one transaction, or within a few while many more come. What cannot be stored (a full
 * disk) is kept, and tried again. The one exception to storing before telling: a turn whose end cannot be stored for
 * some seconds is told to be over, so that neither its client nor its task waits for the disk. Its end is stored when there
 * is room; an engine that is killed before that goes on with the turn at its next start.
 */
export class EventJournal {
  readonly #table: EventTable;
  readonly #clock: RisingClock;
  readonly #stamper = new EventStamper();
  readonly #readers = new Map<string | typeof EVERY_TASK, Set<Reader>>();
  #seq: number;
  #lastTs: number;
  #pending: EventRow[] = [];
  #endings: Ending[] = [];
  #told: Told = NOTHING_TOLD;
  #scheduled: NodeJS.Immediate | undefined;
  /** How many were pending at the last turn of the event loop, and since when they gather. */
  #left = { events: 0, since: 0 };
  #again: NodeJS.Timeout | undefined;
  readonly #cannotStore: (error: unknown, turnIds: ReadonlySet<string>) => void;

  /** `cannotStore` is told whose events wait, each time they could not be stored. */
  constructor(
    table: EventTable,
    {
      now = Date.now,
      cannotStore = () => undefined,
    }: { now?: () => number; cannotStore?: (error: unknown, turnIds: ReadonlySet<string>) => void } = {},
  ) {
    this.#table = table;
    this.#cannotStore = cannotStore;
    const last = table.last();
    this.#seq = last.seq;
    this.#lastTs = last.ts;
    this.#clock = new RisingClock(last.ts + UNSTORED_DRAWS, now);
  }

  append(taskId: string, turnId: string, event: JournalEvent): void {
    this.#pending.push(this.#stamped(taskId, turnId, event));
    this.#scheduled ??= setImmediate(() => this.#tick());
  }

  /** Stores what is pending now and hands it on. False when it could not be stored: it waits, and is tried again. */
  flush(): boolean {
    try {
      this.#settle();
      return true;
    } catch (error) {
      this.#tryLater();
      this.#cannotStore(error, new Set(this.#pending.map(({ turnId }) => turnId)));
      this.#tellOverdue();
      return false;
    }
  }

  /** Stores a turn's first event with what else is stored of it, all or nothing. Throws when it cannot, and forgets the event. */
  begin(turnId: string, alongside: () => void): void {
    try {
      this.#settle(alongside);
    } catch (error) {
      this.#pending = this.#pending.filter((row) => row.turnId !== turnId);
      this.#tryLater();
      throw error;
    }
  }

  /** Stores `work` and what is pending, which tells of it, all or nothing. Throws when it cannot: the events wait. */
  keep(work: () => void, how: { readonly durable?: boolean } = {}): void {
    try {
      this.#settle(work, how);
    } catch (error) {
      this.#tryLater();
      throw error;
    }
  }

  /** The same for something that one event tells of: when it cannot be stored the event is forgotten as well. */
  keepTold({ taskId, turnId, event }: { taskId: string; turnId: string; event: JournalEvent }, work: () => void): void {
    const row = this.#stamped(taskId, turnId, event);
    this.#pending.push(row);
    try {
      this.keep(work);
    } catch (error) {
      this.#pending = this.#pending.filter((one) => one !== row);
      throw error;
    }
  }

  /**
   * Stores what is pending and, in the same transaction, `alongside`; does `between`, and only then hands the rows on:
   * for the end of a turn, whose slot must be free before anybody can see its last event.
   */
  end(ending: Omit<Ending, "since">): void {
    this.#endings.push({ ...ending, since: performance.now() });
    this.flush();
  }

  /** Whether a transaction is open: SQLite ends one by itself when it cannot write. */
  get isStoring(): boolean {
    return this.#table.isStoring;
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
    const stored = this.#table.read(filter);
    if (stored.length > 0 || this.#told.events === 0) return stored;
    const told = this.#pending.slice(0, this.#told.events).filter((row) => isWanted(row, filter));
    return told.slice(0, filter.limit);
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

  /** The stamp of the last event there was. */
  get last(): { readonly seq: number; readonly ts: number } {
    return { seq: this.#seq, ts: this.#lastTs };
  }

  /**
   * A time of the same clock, behind everything that has been stored and handed on: an exact cursor for a reader. Null
   * while something waits to be stored.
   */
  cut(): string | null {
    return this.flush() ? new Date(this.#clock.draw()).toISOString() : null;
  }

  #tick(): void {
    const [events, now] = [this.#pending.length, performance.now()];
    const { events: before, since } = this.#left;
    const first = before === 0;
    const isFast = events - before >= GATHERED.more;
    const goesOn = isFast && events < GATHERED.events && (first || now - since < GATHERED.forMs);
    if (!goesOn) {
      this.flush();
      return;
    }
    this.#left = { events, since: first ? now : since };
    this.#scheduled = setImmediate(() => this.#tick());
  }

  #stamped(taskId: string, turnId: string, { event, data }: JournalEvent): EventRow {
    const ts = this.#clock.draw();
    const seq = ++this.#seq;
    this.#lastTs = ts;
    // Its ids are those of the stamp, its time is the stamp's.
    const own =
      event === "thread_lifecycle"
        ? { ...data, task_id: undefined, turn_id: undefined, timestamp: new Date(ts).toISOString() }
        : data;
    const body = oneLine(own);
    const stamp = { seq, ts, taskId, turnId };
    return { ...stamp, type: event, body, data: this.#stamper.stamp(body, stamp) };
  }

  #tryLater(): void {
    if (this.#again !== undefined) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.flush();
    }, TRY_AGAIN_MS).unref();
  }

  #settle(alongside?: () => void, how: { readonly durable?: boolean } = {}): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    this.#left = { events: 0, since: 0 };
    const [rows, endings, told] = [this.#pending, this.#endings, this.#told];
    if (rows.length === 0 && endings.length === 0 && alongside === undefined) return;
    const work = () => {
      for (const ending of endings) ending.alongside();
      alongside?.();
    };
    this.#table.insert(rows, work, how);
    this.#pending = [];
    this.#endings = [];
    this.#told = NOTHING_TOLD;
    this.#tell(rows, endings, told);
  }

  /** Everything that waits, in order, as soon as the oldest end among it has waited too long. */
  #tellOverdue(): void {
    const [rows, endings, told] = [this.#pending, this.#endings, this.#told];
    const first = endings[told.endings];
    if (first === undefined || performance.now() - first.since < TELL_UNSTORED_MS) return;
    this.#told = { events: rows.length, endings: endings.length };
    this.#tell(rows, endings, told);
  }

  /** The slots of turns that are over are free before anybody can see their last event. */
  #tell(rows: readonly EventRow[], endings: readonly Ending[], told: Told): void {
    for (const ending of endings.slice(told.endings)) ending.between();
    this.#deliver(told.events === 0 ? rows : rows.slice(told.events));
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
