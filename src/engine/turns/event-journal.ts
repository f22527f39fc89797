import type { Logger } from "../../shared/logger.ts";
import { internalError } from "../engine-error.ts";
import { type EventFilter, type EventRow, type EventTable, isWanted } from "../store/events.ts";
import { ALL_TASKS, EventReaders, type Interest, type Reader } from "./event-readers.ts";
import { EventSequence, type JournalEvent } from "./event-sequence.ts";
import type { TaskSlots } from "./task-slots.ts";

export type { EventRow } from "../store/events.ts";
export { ALL_TASKS } from "./event-readers.ts";
export type { JournalEvent } from "./event-sequence.ts";

const RETRY_MS = 1000;
/** An end that cannot be stored for this long is delivered anyway. */
const DELIVER_UNSTORED_AFTER_MS = 3000;
/**
 * While at least `more` events arrive per turn of the event loop, up to `events` of them, or those of `forMs`, go into
 * one transaction. Text at a model's pace is stored at once. Guarded by `bench/parts/deltas.ts`.
 */
const BATCH = { more: 32, events: 256, forMs: 1 };

/** The end of a turn. */
interface Ending {
  /** Stored in the same transaction as the last events. */
  readonly alongside: () => void;
  /** Runs after the transaction, before any reader sees the last events. */
  readonly between: () => void;
  /** Of the monotonic clock. */
  readonly since: number;
}

/** How many pending events and endings, from the first on, were delivered before they could be stored. */
interface Delivered {
  readonly events: number;
  readonly endings: number;
}
const NOTHING_DELIVERED: Delivered = { events: 0, endings: 0 };

/**
 * The single path of events: numbered in order, stored, then delivered to readers (I1 store before wire). Events of one
 * turn of the event loop share a transaction. What cannot be stored (disk full) stays pending and is retried.
 *
 * The one exception to I1: an end of a turn that cannot be stored for some seconds is delivered unstored, so that neither
 * the client nor the task waits for the disk. An engine killed before it is stored resumes the turn at its next start.
 */
export class EventJournal {
  readonly #table: EventTable;
  readonly #sequence: EventSequence;
  readonly #readers = new EventReaders();
  #pending: EventRow[] = [];
  #endings: Ending[] = [];
  #delivered: Delivered = NOTHING_DELIVERED;
  #scheduled: NodeJS.Immediate | undefined;
  /** Pending events at the last turn of the event loop, and when the batch began. */
  #batch = { events: 0, since: 0 };
  #retry: NodeJS.Timeout | undefined;
  /** Of the monotonic clock. */
  #lastAppendedAt = performance.now();
  readonly #onStoreFailure: (error: unknown, turnIds: ReadonlySet<string>) => void;

  /** `onStoreFailure` receives the turns whose events are pending, after each failed attempt. */
  constructor(
    table: EventTable,
    {
      now = Date.now,
      onStoreFailure = () => undefined,
    }: { now?: () => number; onStoreFailure?: (error: unknown, turnIds: ReadonlySet<string>) => void } = {},
  ) {
    this.#table = table;
    this.#onStoreFailure = onStoreFailure;
    this.#sequence = new EventSequence(table.last(), now);
  }

  append(taskId: string, turnId: string, event: JournalEvent): void {
    this.#pending.push(this.#stamp(taskId, turnId, event));
    this.#scheduled ??= setImmediate(() => this.#tick());
  }

  /** Stores and delivers what is pending. Returns false when it cannot be stored; it is retried later. */
  flush(): boolean {
    try {
      this.#store();
      return true;
    } catch (error) {
      this.#retryLater();
      this.#onStoreFailure(error, new Set(this.#pending.map(({ turnId }) => turnId)));
      this.#deliverOverdue();
      return false;
    }
  }

  /** Stores a turn's first event and `alongside` atomically. Throws when it cannot, and drops the event. */
  startTurn(turnId: string, alongside: () => void): void {
    try {
      this.#store(alongside);
    } catch (error) {
      this.#pending = this.#pending.filter((row) => row.turnId !== turnId);
      this.#retryLater();
      throw error;
    }
  }

  /** Stores `work` and the pending events atomically. Throws when it cannot; the events stay pending. */
  commit(work: () => void, options: { readonly durable?: boolean } = {}): void {
    try {
      this.#store(work, options);
    } catch (error) {
      this.#retryLater();
      throw error;
    }
  }

  /** Stores `work`, its event and the pending events atomically. Throws when it cannot, and drops the event. */
  commitEvent(
    { taskId, turnId, event }: { taskId: string; turnId: string; event: JournalEvent },
    work: () => void,
  ): void {
    const row = this.#stamp(taskId, turnId, event);
    this.#pending.push(row);
    try {
      this.commit(work);
    } catch (error) {
      this.#pending = this.#pending.filter((one) => one !== row);
      throw error;
    }
  }

  /** Stores the end of a turn with the pending events, frees its slot, and delivers the events (I4). */
  endTurn(ending: Omit<Ending, "since">): void {
    this.#endings.push({ ...ending, since: performance.now() });
    this.flush();
  }

  /** Whether a transaction is open. SQLite rolls it back automatically when a write fails. */
  get isStoring(): boolean {
    return this.#table.isStoring;
  }

  /** Delivers a task's events (or all) to `reader` in batches, once stored. Returns the undo. */
  subscribe(taskId: string | typeof ALL_TASKS, reader: Reader): () => void {
    return this.#readers.add(taskId, reader);
  }

  /** Notes which types a reader wants, while it reads. Returns the undo. */
  noteReader(interest: Interest): () => void {
    return this.#readers.note(interest);
  }

  /** Whether a reader wants events of a type of this turn: one that would cost too much to store for nobody. */
  isWanted(type: string, turn: { readonly taskId: string; readonly turnId: string }): boolean {
    return this.#readers.wants(type, turn);
  }

  /** Number of readers of one task, or of all. */
  readerCount(taskId?: string): number {
    return this.#readers.count(taskId);
  }

  read(filter: EventFilter): EventRow[] {
    const stored = this.#table.read(filter);
    if (stored.length > 0 || this.#delivered.events === 0) return stored;
    const unstored = this.#pending.slice(0, this.#delivered.events).filter((row) => isWanted(row, filter));
    return unstored.slice(0, filter.limit);
  }

  prune(beforeTs: number, keep: number): void {
    this.#table.prune(beforeTs, keep);
  }

  /** Time of the last event, ISO; null before the first one. */
  get lastActiveAt(): string | null {
    const { ts } = this.#sequence.last;
    return ts === 0 ? null : new Date(ts).toISOString();
  }

  oldest(): { readonly seq: number; readonly ts: number } | null {
    return this.#table.oldest();
  }

  /** Milliseconds since the last event, or since the start. */
  get sinceLastMs(): number {
    return performance.now() - this.#lastAppendedAt;
  }

  /** The stamp of the last event. */
  get last(): { readonly seq: number; readonly ts: number } {
    return this.#sequence.last;
  }

  /** A time after everything stored and delivered so far, ISO: an exact cursor. Null while events cannot be stored. */
  cursor(): string | null {
    return this.flush() ? new Date(this.#sequence.drawTime()).toISOString() : null;
  }

  #stamp(taskId: string, turnId: string, event: JournalEvent): EventRow {
    this.#lastAppendedAt = performance.now();
    return this.#sequence.stamp(taskId, turnId, event);
  }

  #tick(): void {
    const [events, now] = [this.#pending.length, performance.now()];
    const { events: before, since } = this.#batch;
    const isFirst = before === 0;
    const isFast = events - before >= BATCH.more;
    if (!isFast || events >= BATCH.events || (!isFirst && now - since >= BATCH.forMs)) {
      this.flush();
      return;
    }
    this.#batch = { events, since: isFirst ? now : since };
    this.#scheduled = setImmediate(() => this.#tick());
  }

  #retryLater(): void {
    if (this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.flush();
    }, RETRY_MS).unref();
  }

  #store(alongside?: () => void, options: { readonly durable?: boolean } = {}): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    this.#batch = { events: 0, since: 0 };
    const [rows, endings, delivered] = [this.#pending, this.#endings, this.#delivered];
    if (rows.length === 0 && endings.length === 0 && alongside === undefined) return;
    const work = () => {
      for (const ending of endings) ending.alongside();
      alongside?.();
    };
    this.#table.insert(rows, work, options);
    this.#pending = [];
    this.#endings = [];
    this.#delivered = NOTHING_DELIVERED;
    this.#deliver(rows, endings, delivered);
  }

  /** Delivers everything pending, in order, once its oldest end is overdue. */
  #deliverOverdue(): void {
    const [rows, endings, delivered] = [this.#pending, this.#endings, this.#delivered];
    const first = endings[delivered.endings];
    if (first === undefined || performance.now() - first.since < DELIVER_UNSTORED_AFTER_MS) return;
    this.#delivered = { events: rows.length, endings: endings.length };
    this.#deliver(rows, endings, delivered);
  }

  /** I4: slots of ended turns are free before a reader sees the last event. */
  #deliver(rows: readonly EventRow[], endings: readonly Ending[], delivered: Delivered): void {
    for (const ending of endings.slice(delivered.endings)) ending.between();
    this.#readers.deliver(delivered.events === 0 ? rows : rows.slice(delivered.events));
  }
}

/** A journal that aborts the turns whose events cannot be stored. */
export function openJournal(table: EventTable, { slots, logger }: { slots: TaskSlots; logger: Logger }): EventJournal {
  return new EventJournal(table, {
    onStoreFailure: (error, turnIds) => {
      logger.error({ err: error }, "failed to store events; aborting their turns");
      const reason = internalError(error, "the engine cannot store its events");
      for (const slot of slots.all()) if (turnIds.has(slot.turnId)) slot.abort(reason);
    },
  });
}
