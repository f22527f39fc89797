import type { RequestId } from "@modelcontextprotocol/server";

/** Requests whose streams are open in this process, for messages that the client sends about them in calls of their own. */
class InFlight {
  readonly #streams = new Map<string, () => void>();

  /** Returns what forgets it. */
  add(key: string, act: () => void): () => void {
    this.#streams.set(key, act);
    return () => {
      if (this.#streams.get(key) === act) this.#streams.delete(key);
    };
  }

  act(key: string): void {
    this.#streams.get(key)?.();
  }
}

/** What cancels a request, by its session and id. */
export const cancels = new InFlight();
/** What ends the wait for a question that the client's user has left, by the session and the question's id. */
export const leaves = new InFlight();

export const requestKey = (session: string, id: RequestId): string => JSON.stringify([session, id]);
