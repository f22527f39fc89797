import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isoTime } from "../../shared/clock.ts";
import type { EngineStatus } from "../../contract/engine/status.ts";
import type { AwakeReason } from "../../contract/engine/sleep.ts";
import { type Follower, Followers } from "./followers.ts";

export interface WakefulnessParts {
  /** Turns in flight that do not wait for a person. */
  readonly turns: () => number;
  /** Whether a message waits whose turn could not be stored. */
  readonly isStartOverdue: () => boolean;
  /** Readers of events. */
  readonly streams: () => number;
  readonly toolCalls: () => number;
  readonly learning: {
    readonly running: boolean;
    readonly isDue: boolean;
    /** Milliseconds until the next batch of its schedule, or null. */
    readonly dueInMs: number | null;
    runDue(): void;
  };
  /** Milliseconds since the last event. */
  readonly sinceLastEventMs: () => number;
  /**
   * Accepts no more connections. False when a connection other than `own` and those of idle followers may carry a
   * request; then nothing changes.
   */
  readonly stopAccepting: (own: Socket, followers: ReadonlySet<Socket>) => boolean;
  /** Monotonic, in milliseconds: a change of the system's time neither keeps the engine awake nor lets it sleep. */
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
  /** Of the readers of events, those that do not keep the engine awake once they have read everything. */
  readonly followers = new Followers();

  constructor(parts: WakefulnessParts) {
    this.#parts = { now: () => performance.now(), ...parts };
    this.#lastWorkAt = this.#parts.now();
  }

  /** Counts a call until its response is over. The daemon's own calls are not counted. */
  countRequest(response: ServerResponse): void {
    this.#requests++;
    response.once("close", () => this.#requests--);
  }

  /** A call with a valid key is work until its response is over. */
  noteWork(response: ServerResponse): void {
    const note = () => (this.#lastWorkAt = this.#parts.now());
    note();
    response.once("close", note);
  }

  status(): Pick<EngineStatus, "idle_since" | "idle_ms" | "awake" | "learning_due_at"> {
    const { dueInMs } = this.#parts.learning;
    const awake = this.#awake(this.followers.idle());
    const idleMs = awake.some((reason) => reason !== "learning") ? null : this.#idleMs();
    const now = Date.now();
    return {
      idle_since: idleMs === null ? null : isoTime(now - idleMs),
      idle_ms: idleMs === null ? null : Math.floor(idleMs),
      awake,
      learning_due_at: dueInMs === null ? null : isoTime(now + dueInMs),
    };
  }

  /**
   * Decides to sleep unless there is work or the last work ended less than `idleMs` ago. Starts a learning batch that is
   * due. Returns what keeps the engine awake, nothing when it sleeps. Idle followers are told, and their streams end.
   */
  sleep(idleMs: number, own: Socket): readonly AwakeReason[] {
    const followers = this.followers.idle();
    const isRecent = this.#idleMs() < idleMs;
    const awake = this.#awake(followers);
    if (isRecent || awake.length > 0) return isRecent ? [...awake, "recent_work"] : awake;
    if (this.#parts.learning.isDue) {
      this.#parts.learning.runDue();
      return ["learning"];
    }
    // The daemon stopped waiting for the answer, perhaps because it died: the next one would count a crash.
    const sockets = new Set(followers.map(({ socket }) => socket));
    if (own.destroyed || !this.#parts.stopAccepting(own, sockets)) return ["request"];
    for (const follower of followers) follower.sleep();
    this.#asleep.resolve();
    return [];
  }

  #awake(followers: readonly Follower[]): AwakeReason[] {
    const { turns, isStartOverdue, streams, toolCalls, learning } = this.#parts;
    const reasons: Record<Exclude<AwakeReason, "recent_work">, boolean> = {
      turn: turns() > 0,
      inbox: isStartOverdue(),
      stream: streams() > followers.length,
      request: this.#requests > followers.length,
      learning: learning.running,
      tool_call: toolCalls() > 0,
    };
    return (Object.keys(reasons) as (keyof typeof reasons)[]).filter((reason) => reasons[reason]);
  }

  #idleMs(): number {
    return Math.max(0, Math.min(this.#parts.now() - this.#lastWorkAt, this.#parts.sinceLastEventMs()));
  }
}
