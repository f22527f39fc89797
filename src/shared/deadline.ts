/** The end of a wait. It is of the monotonic clock: a step of the wall clock neither ends nor prolongs the wait. */
export class Deadline {
  /** In milliseconds of `performance.now()`. */
  readonly at: number;

  /** `ms` from now. */
  constructor(ms: number) {
    this.at = performance.now() + ms;
  }

  /** Not below 0. */
  get leftMs(): number {
    return Math.max(0, this.at - performance.now());
  }

  get isOver(): boolean {
    return performance.now() >= this.at;
  }
}
