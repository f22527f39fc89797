import PQueue from "p-queue";

/** Each refresh holds a connection to the database, of which there are twenty. */
const AT_ONCE = 6;

/** The refreshes of tokens that run: one for the same tokens, whose result all callers share. None is kept afterwards. */
export class RefreshesInFlight<Result> {
  readonly #running = new Map<string, Promise<Result>>();
  readonly #queue = new PQueue({ concurrency: AT_ONCE });

  run(name: string, work: () => Promise<Result>): Promise<Result> {
    const known = this.#running.get(name);
    if (known !== undefined) return known;
    const started = this.#queue.add(work).finally(() => this.#running.delete(name));
    this.#running.set(name, started);
    return started;
  }
}
