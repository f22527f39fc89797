import type { EventRow } from "../store/events.ts";

export const ALL_TASKS = Symbol("all tasks");
export type Reader = (rows: readonly EventRow[]) => void;

/** Which types of events a reader wants: of all turns, or of those of a task or of one turn. */
export interface Interest {
  readonly taskId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly wants: (type: string) => boolean;
}

/** The subscribers to events, by task. */
export class EventReaders {
  readonly #readers = new Map<string | typeof ALL_TASKS, Set<Reader>>();

  readonly #interests = new Set<Interest>();

  /** Notes what a reader wants, from before it is added on. Returns the undo. */
  note(interest: Interest): () => void {
    this.#interests.add(interest);
    return () => this.#interests.delete(interest);
  }

  /** Whether a reader wants events of a type of this turn. */
  wants(type: string, turn: { readonly taskId: string; readonly turnId: string }): boolean {
    return [...this.#interests].some(
      ({ taskId = turn.taskId, turnId = turn.turnId, wants }) =>
        taskId === turn.taskId && turnId === turn.turnId && wants(type),
    );
  }

  /** Returns the undo. */
  add(taskId: string | typeof ALL_TASKS, reader: Reader): () => void {
    const readers = this.#readers.get(taskId) ?? new Set();
    this.#readers.set(taskId, readers.add(reader));
    return () => {
      readers.delete(reader);
      if (readers.size === 0 && this.#readers.get(taskId) === readers) this.#readers.delete(taskId);
    };
  }

  /** Number of readers of one task, or of all. */
  count(taskId?: string): number {
    if (taskId !== undefined) return this.#readers.get(taskId)?.size ?? 0;
    return [...this.#readers.values()].reduce((sum, readers) => sum + readers.size, 0);
  }

  /** Hands each reader its rows, in batches of one task. */
  deliver(rows: readonly EventRow[]): void {
    let from = 0;
    for (let to = 1; to <= rows.length; to++) {
      const taskId = rows[from]?.taskId ?? "";
      if (to < rows.length && rows[to]?.taskId === taskId) continue;
      const batch = from === 0 && to === rows.length ? rows : rows.slice(from, to);
      for (const reader of this.#readers.get(taskId) ?? []) reader(batch);
      from = to;
    }
    if (rows.length > 0) for (const reader of this.#readers.get(ALL_TASKS) ?? []) reader(rows);
  }
}
