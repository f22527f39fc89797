/** The number of recent launches that are compared. Enough that alternating products do not alternate the kind. */
const REMEMBERED = 20;

/** Which kind of launch was the most frequent lately. */
export class RecentKinds<T> {
  readonly #keyOf: (kind: T) => string;
  readonly #recent: T[] = [];

  constructor(keyOf: (kind: T) => string) {
    this.#keyOf = keyOf;
  }

  note(kind: T): void {
    this.#recent.push(kind);
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
  }

  isSame(one: T, other: T): boolean {
    return this.#keyOf(one) === this.#keyOf(other);
  }

  /** Of equally frequent kinds the latest. Null before the first launch. */
  most(): T | null {
    const counts = new Map<string, number>();
    for (const kind of this.#recent) counts.set(this.#keyOf(kind), (counts.get(this.#keyOf(kind)) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return this.#recent.findLast((kind) => counts.get(this.#keyOf(kind)) === most) ?? null;
  }
}
