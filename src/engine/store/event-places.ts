import type { Store } from "./open-store.ts";

/** How many numbers of the log one entry stands for. The store has it too: it is never changed. */
const STRETCH = 1024;

export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/**
 * In which stretches of the log a task or a turn has events. An index would have an entry an event, each on another
 * page: with a hundred turns at once that was nine tenths of all that was written. Whoever reads passes over what
 * others have in the same stretch.
 */
export class EventPlaces {
  readonly #store: Store;
  readonly #insert;
  /** The turns that have been noted in the newest stretch. */
  readonly #noted = new Set<string>();
  #newest = -1;

  constructor(store: Store) {
    this.#store = store;
    this.#insert = store.db.prepare("insert or ignore into event_places (place, stretch) values (?, ?)");
  }

  /** In the transaction that stores the event. */
  note({ seq, taskId, turnId }: { readonly seq: number; readonly taskId: string; readonly turnId: string }): void {
    const stretch = stretchOf(seq);
    if (stretch !== this.#newest) this.#noted.clear();
    this.#newest = stretch;
    if (this.#noted.has(turnId)) return;
    this.#insert.run(taskId, stretch);
    this.#insert.run(turnId, stretch);
    this.#noted.add(turnId);
  }

  /** The transaction was undone: what it noted is not there. */
  undone(): void {
    this.#noted.clear();
  }

  /** Where a task or a turn may have events behind a number, in order. */
  *of(place: string, afterSeq: number): Generator<Stretch> {
    const stretches = this.#store.db
      .prepare("select stretch from event_places where place = ? and stretch >= ? order by stretch")
      .iterate(place, stretchOf(afterSeq));
    for (const { stretch } of stretches) {
      const first = Number(stretch) * STRETCH;
      yield { first: Math.max(first, afterSeq + 1), last: first + STRETCH - 1 };
    }
  }

  /** Forgets all stretches before that of the oldest event. */
  prune(oldestSeq: number): void {
    this.#store.db.prepare("delete from event_places where stretch < ?").run(stretchOf(oldestSeq));
  }
}

const stretchOf = (seq: number): number => Math.floor(seq / STRETCH);
