import type { EventRow } from "../turns/event-journal.ts";
import type { EventReader } from "./event-reader.ts";
import { mergeDeltas } from "./merge-deltas.ts";
import type { Wanted } from "./wanted-events.ts";

/** Characters that wait to be taken before the journal is read no further. */
const MAX_WAITING = 1024 * 1024;

/** A reader that takes events in batches, as they were stored, instead of as frames. */
export class EventBatches implements EventReader, AsyncIterable<readonly EventRow[]> {
  readonly closed: AbortSignal;
  upToDate = false;
  /** Those who wait for the next change. Promises alone: a turn may have many thousand batches. */
  #waiters: (() => void)[] = [];
  readonly #left = new AbortController();
  #waiting: EventRow[] = [];
  #length = 0;
  #end: { readonly error: unknown } | null = null;

  readonly #wanted: Wanted;
  readonly #merge: boolean;

  /** `gone` is aborted when the caller leaves. `merge` makes adjacent deltas one that wait to be taken. */
  constructor({
    gone,
    wanted,
    merge,
  }: {
    readonly gone: AbortSignal;
    readonly wanted: Wanted;
    readonly merge: boolean;
  }) {
    this.#wanted = wanted;
    this.#merge = merge;
    this.closed = AbortSignal.any([gone, this.#left.signal]);
    this.closed.addEventListener("abort", () => this.#changed(), { once: true });
  }

  wants(type: string): boolean {
    return this.#wanted({ type });
  }

  /** Whether its reader has taken everything that is stored. */
  get isRead(): boolean {
    return this.upToDate && this.#waiting.length === 0;
  }

  get isBackedUp(): boolean {
    return this.#length > MAX_WAITING;
  }

  write(rows: readonly EventRow[]): void {
    const wanted = rows.filter(this.#wanted);
    if (wanted.length === 0 || this.closed.aborted) return;
    this.#waiting.push(...wanted);
    for (const { data } of wanted) this.#length += data.length;
    this.#changed();
  }

  async drained(): Promise<void> {
    while (this.isBackedUp && !this.closed.aborted) await this.#change();
  }

  end(): void {
    this.#end ??= { error: null };
    this.#changed();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#changed();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly EventRow[], void> {
    try {
      while (!this.closed.aborted) {
        if (this.#waiting.length > 0) yield this.#take();
        else if (this.#end === null) await this.#change();
        else if (this.#end.error === null) return;
        else throw this.#end.error;
      }
    } finally {
      this.#left.abort();
    }
  }

  #take(): readonly EventRow[] {
    const rows = this.#waiting;
    this.#waiting = [];
    this.#length = 0;
    this.#changed();
    return this.#merge ? mergeDeltas(rows) : rows;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  #changed(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
