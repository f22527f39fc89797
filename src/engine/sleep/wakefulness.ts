import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isoTime } from "../../shared/clock.ts";
import type { EngineStatus } from "../../contract/engine-control.ts";
import type { AwakeReason } from "../../contract/sleep.ts";

export interface WakefulnessParts {
  /** Turns in flight that do not wait for a person. */
  readonly turns: () => number;
  /** Readers of events. */
  readonly streams: () => number;
  readonly toolCalls: () => number;
  readonly learning: { readonly running: boolean; readonly isDue: boolean; runDue(): void };
  /** When the last event was, in milliseconds since the epoch. */
  readonly lastEventAt: () => number;
  /** Accepts no more connections. False when a connection other than `own` may carry a request; then nothing changes. */
  readonly stopAccepting: (own: Socket) => boolean;
  readonly now?: () => number;
}

/**
 * Everything that keeps an engine awake, and the decision to sleep. The decision is one synchronous step: what begins
 * before it prevents the sleep, and nothing can begin after it, because the engine accepts no connection any more.
 */
export class Wakefulness {
  readonly #parts: Required<WakefulnessParts>;
  readonly #asleep = Promise.withResolvers<void>();
  #requests = 0;
  #lastWorkAt: number;
  /** Resolves when the engine has decided to sleep. It then exits. */
  readonly asleep = this.#asleep.promise;

  constructor(parts: WakefulnessParts) {
    this.#parts = { now: Date.now, ...parts };
    this.#lastWorkAt = this.#parts.now();
  }

  /** Counts a call until its response is over. The daemon's own calls are not counted. */
  countRequest(response: ServerResponse): void {
    this.#requests++;
    response.once("close", () => void this.#requests--);
  }

  /** A call with a valid key is work until its response is over. */
  noteWork(response: ServerResponse): void {
    const note = () => void (this.#lastWorkAt = this.#parts.now());
    note();
    response.once("close", note);
  }

  status(): Pick<EngineStatus, "idle_since" | "awake"> {
    const awake = this.#awake();
    const works = awake.length > 0 && !(awake.length === 1 && this.#isLearningDue());
    return { idle_since: works ? null : isoTime(this.#workEndedAt()), awake };
  }

  /**
   * Decides to sleep unless there is work or the last work ended less than `idleMs` ago. Starts a learning batch that is
   * due. Returns what keeps the engine awake, nothing when it sleeps.
   */
  sleep(idleMs: number, own: Socket): readonly AwakeReason[] {
    const isRecent = this.#parts.now() - this.#workEndedAt() < idleMs;
    const awake: readonly AwakeReason[] = isRecent ? [...this.#awake(), "recent_work"] : this.#awake();
    if (awake.length === 1 && this.#isLearningDue()) this.#parts.learning.runDue();
    if (awake.length > 0) return awake;
    // The daemon stopped waiting for the answer, perhaps because it died: the next one would count a crash.
    if (own.destroyed || !this.#parts.stopAccepting(own)) return ["request"];
    this.#asleep.resolve();
    return [];
  }

  #awake(): AwakeReason[] {
    const { turns, streams, toolCalls, learning } = this.#parts;
    const reasons: Record<Exclude<AwakeReason, "recent_work">, boolean> = {
      turn: turns() > 0,
      stream: streams() > 0,
      request: this.#requests > 0,
      learning: learning.running || learning.isDue,
      tool_call: toolCalls() > 0,
    };
    return (Object.keys(reasons) as (keyof typeof reasons)[]).filter((reason) => reasons[reason]);
  }

  #isLearningDue(): boolean {
    return !this.#parts.learning.running && this.#parts.learning.isDue;
  }

  #workEndedAt(): number {
    return Math.max(this.#lastWorkAt, this.#parts.lastEventAt());
  }
}
