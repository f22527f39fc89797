import type { ModelRoute } from "../contract/broker/call-key.ts";
import { bounded } from "./bounded-map.ts";
import { keyNameOf } from "./key-name.ts";

const MINUTE_MS = 60_000;
/** So much of a minute's calls may be sent at once. The others follow evenly, so that no minute has more than the limit. */
const BURST_SHARE = 10;
/** A call waits for its turn so long. One whose turn is later is refused. */
const MAX_WAIT_MS = 5000;
const MAX_KEYS = 4096;

/** `LLM_REQUESTS_PER_MINUTE`: the limit that the operator has set for a key. Each call has a turn of its own. */
export class KeyRates {
  /** By key: when the calls so far would have been sent, one after the other. */
  readonly #last = new Map<string, { at: number }>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The time until this call's turn. `isRefused`: it has none. */
  turn(route: ModelRoute): { readonly waitMs: number; readonly isRefused: boolean } {
    const { requestsPerMinute: limit = null } = route;
    if (limit === null) return { waitMs: 0, isRefused: false };
    const now = this.#clock();
    const atOnce = Math.max(1, Math.floor(limit / BURST_SHARE));
    const apartMs = MINUTE_MS / (limit - atOnce);
    const last = bounded(this.#last, keyNameOf(route), { max: MAX_KEYS, make: () => ({ at: now }) });
    const waitMs = Math.max(0, last.at - (atOnce - 1) * apartMs - now);
    if (waitMs > MAX_WAIT_MS) return { waitMs, isRefused: true };
    last.at = Math.max(now, last.at) + apartMs;
    return { waitMs, isRefused: false };
  }
}
