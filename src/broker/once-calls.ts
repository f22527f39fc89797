import type { OnceAnswer, OnceCall } from "../contract/broker/once-call.ts";

/** How long an answer waits for a daemon, and is known as stored. */
const KEPT_MS = 900_000;
/** Calls whose answers nobody has stored. A further one is not sent: none of these may be dropped for it. */
const MAX_KEPT = 512;
const MAX_STORED = 16_384;
/** Only such an answer replaces what was sent. After another one, the same call is sent again. */
const OK = 200;

interface OnceOptions {
  readonly send: (call: OnceCall) => Promise<OnceAnswer>;
  readonly keptMs?: number;
}

/**
 * Calls of authorization servers that are sent once, whichever daemon asks, and however often. A daemon that ends before it
 * has stored an answer leaves it here for the next one; one that was frozen meanwhile sends nothing that another daemon has
 * settled.
 */
export class OnceCalls {
  readonly #send: OnceOptions["send"];
  readonly #keptMs: number;
  readonly #kept = new Map<string, Promise<OnceAnswer>>();
  readonly #stored = new Set<string>();

  constructor({ send, keptMs = KEPT_MS }: OnceOptions) {
    this.#send = send;
    this.#keptMs = keptMs;
  }

  run(call: OnceCall): Promise<OnceAnswer> {
    const { id } = call;
    if (this.#stored.has(id)) return Promise.resolve({ kind: "stored" });
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    if (this.#kept.size >= MAX_KEPT)
      return Promise.resolve({ kind: "failed", reason: "the broker keeps too many answers that no daemon has stored" });
    const sent = this.#send(call).then((answer) => {
      if (answer.kind === "answered" && answer.status === OK) later(this.#keptMs, () => this.#kept.delete(id));
      else this.#kept.delete(id);
      return answer;
    });
    this.#kept.set(id, sent);
    return sent;
  }

  /** A daemon has stored the answer. */
  stored(id: string): void {
    this.#kept.delete(id);
    const oldest = this.#stored.size < MAX_STORED ? undefined : this.#stored.values().next().value;
    if (oldest !== undefined) this.#stored.delete(oldest);
    this.#stored.add(id);
    later(this.#keptMs, () => this.#stored.delete(id));
  }
}

function later(ms: number, work: () => void): void {
  setTimeout(work, ms).unref();
}
