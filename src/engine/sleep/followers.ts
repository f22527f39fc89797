import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A stream of events that its client follows beyond the end of turns, such as one of an open browser tab. */
export interface Follower {
  readonly socket: Socket;
  /** Whether it was sent everything stored. */
  readonly isIdle: boolean;
  /** Tells the client that the engine sleeps, and ends the stream. */
  sleep(): void;
}

/** The open followers. They end when the engine sleeps, unless they still have something to read. */
export class Followers {
  readonly #open = new Set<Follower>();

  /** Counts a follower until its response closes. */
  add(response: ServerResponse, follower: Follower): void {
    if (response.closed) return;
    this.#open.add(follower);
    response.once("close", () => this.#open.delete(follower));
  }

  idle(): readonly Follower[] {
    return [...this.#open].filter(({ isIdle }) => isIdle);
  }
}
