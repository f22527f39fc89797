/** The number of recent launches that are compared. */
const REMEMBERED = 20;
/** A kind that has a spare keeps it until another was launched so many times more: alternating ones change nothing. */
const LEAD = 2;

/** Which kinds of launches were the most frequent lately. */
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

  /**
   * Divides `seats` among the kinds by their launches, as parliaments divide theirs among parties (D'Hondt). `seated` are
   * the kinds that have a seat now. Empty before the first launch.
   */
  divide(seats: number, seated: readonly T[]): readonly T[] {
    const launches = Map.groupBy(this.#recent, this.#keyOf);
    const kinds = [...launches]
      .map(([key, all]) => ({
        kind: all[0] as T,
        launches: all.length,
        seated: seated.filter((one) => this.#keyOf(one) === key).length,
        seats: 0,
      }))
      // Of equal ones the first gets the seat.
      .toSorted((one, other) => other.seated - one.seated);
    const claimOf = (one: (typeof kinds)[number]) =>
      (one.launches + (one.seated > one.seats ? LEAD : 0)) / (one.seats + 1);
    return Array.from({ length: kinds.length === 0 ? 0 : seats }, () => {
      const next = kinds.reduce((best, one) => (claimOf(one) > claimOf(best) ? one : best));
      next.seats++;
      return next.kind;
    });
  }
}
