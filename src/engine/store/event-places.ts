import { Table } from "./table.ts";

/** Sequence numbers per entry. Fixed: the stored entries depend on it. */
const STRETCH = 1024;

export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/**
 * Sparse index of the event log: which stretches of 1024 events contain events of a task or a turn. With a plain SQLite
 * index and 100 concurrent turns, index pages were nine tenths of all bytes written. Guarded by `bench/parts/deltas.ts`
 * (writes) and `bench/parts/replay.ts` (reads).
 */
export class EventPlaces extends Table {
  readonly #insert = this.db.prepare("insert or ignore into event_places (place, stretch) values (?, ?)");
  /** Turns already indexed in the newest stretch. */
  readonly #indexed = new Set<string>();
  #newest = -1;

  /** Runs in the transaction that stores the event. */
  add({ seq, taskId, turnId }: { readonly seq: number; readonly taskId: string; readonly turnId: string }): void {
    const stretch = stretchOf(seq);
    if (stretch !== this.#newest) this.#indexed.clear();
    this.#newest = stretch;
    if (this.#indexed.has(turnId)) return;
    this.#insert.run(taskId, stretch);
    this.#insert.run(turnId, stretch);
    this.#indexed.add(turnId);
  }

  /** To be called after a rollback. */
  rolledBack(): void {
    this.#indexed.clear();
  }

  /** The stretches that may contain events of a task or a turn after a number, in order. */
  *of(place: string, afterSeq: number): Generator<Stretch> {
    const stretches = this.db
      .prepare("select stretch from event_places where place = ? and stretch >= ? order by stretch")
      .iterate(place, stretchOf(afterSeq));
    for (const { stretch } of stretches) {
      const first = Number(stretch) * STRETCH;
      yield { first: Math.max(first, afterSeq + 1), last: first + STRETCH - 1 };
    }
  }

  /** Deletes the entries of tasks or turns, of stretches that end with `through` or before. */
  remove(places: readonly string[], through: number): void {
    this.db
      .prepare("delete from event_places where place in (select value from json_each(?)) and stretch < ?")
      .run(JSON.stringify(places), Math.min(stretchOf(through + 1), Number.MAX_SAFE_INTEGER));
  }

  /** Deletes the stretches before that of the oldest event. */
  prune(oldestSeq: number): void {
    this.db.prepare("delete from event_places where stretch < ?").run(stretchOf(oldestSeq));
  }
}

const stretchOf = (seq: number): number => Math.floor(seq / STRETCH);
