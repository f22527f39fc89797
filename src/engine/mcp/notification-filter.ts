import type { Clock } from "../../shared/clock.ts";

const TOOLS_CHANGED = "notifications/tools/list_changed";
/** Of what a server may tell unasked, all that is listened to. */
const HEARD: ReadonlySet<string> = new Set([
  "notifications/progress",
  "notifications/cancelled",
  "notifications/subscriptions/acknowledged",
]);
const WINDOW_MS = 100;
const MOST_A_WINDOW = 20;
/** Each comes from a server that waits for its answer, as a rule. */
const MOST_REQUESTS_A_WINDOW = 100;

/** Decides what of that which a server says of its own accord is listened to: some kinds of it, and so much of each. */
export class NotificationFilter {
  readonly #clock: Clock;
  #windowEnds = 0;
  readonly #counts = new Map<string, number>();

  constructor(clock: Clock = Date.now) {
    this.#clock = clock;
  }

  /** Whether this one is to go on to the protocol. That the list of tools has changed is told at once instead. */
  hears(method: string, onToolsChanged: () => void): boolean {
    if (method === TOOLS_CHANGED) onToolsChanged();
    return HEARD.has(method) && this.#hasRoom(method, MOST_A_WINDOW);
  }

  /** Whether there is room for one more request just now. */
  hasRoomForRequest(): boolean {
    return this.#hasRoom("requests", MOST_REQUESTS_A_WINDOW);
  }

  #hasRoom(kind: string, most: number): boolean {
    const now = this.#clock();
    if (now >= this.#windowEnds) {
      this.#counts.clear();
      this.#windowEnds = now + WINDOW_MS;
    }
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return count <= most;
  }
}
