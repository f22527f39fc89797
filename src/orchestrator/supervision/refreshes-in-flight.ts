import PQueue from "p-queue";

/** What there is of a user's access token for a tool server. */
export type CurrentToken =
  | { readonly kind: "token"; readonly value: string; readonly url: string; readonly expiresAt: Date | null }
  /** The user has to sign in. */
  | { readonly kind: "login" }
  /** The authorization server does not answer now. */
  | { readonly kind: "away"; readonly reason: string };

/** Each refresh holds a connection to the database, of which there are twenty. */
const AT_ONCE = 6;

/** The refreshes of tokens that run: one for the same tokens, whose result all callers share. None is kept afterwards. */
export class RefreshesInFlight {
  readonly #running = new Map<string, Promise<CurrentToken>>();
  readonly #queue = new PQueue({ concurrency: AT_ONCE });

  run(name: string, work: () => Promise<CurrentToken>): Promise<CurrentToken> {
    const known = this.#running.get(name);
    if (known !== undefined) return known;
    const started = this.#queue.add(work).finally(() => this.#running.delete(name));
    this.#running.set(name, started);
    return started;
  }
}
