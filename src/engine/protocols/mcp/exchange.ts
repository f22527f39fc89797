import type { StreamPosition } from "./event-id.ts";
import type { OpenQuestion } from "./ask-progress.ts";

/** What the revisions of the protocol do differently while a request waits for a turn. */
export interface Exchange {
  /** Where an earlier stream of the same request has stood. Null for a new request. */
  readonly resumed: StreamPosition | null;
  /** Aborted when the client cancels the request, which ends the turn. */
  readonly cancelled: AbortSignal;
  /** Tells what the request waits for, before anything is sent and with each event. */
  reached(position: Pick<StreamPosition, "task" | "message" | "turn" | "seq">): Promise<void>;
  /**
   * Asks the client's user within the stream. Resolves when the question has been sent; the answer is a call of its own.
   * Null where the result of the request asks instead, or where the client cannot ask.
   */
  readonly ask: ((question: OpenQuestion) => Promise<void>) | null;
  /** Resolves when the user has left a question of `ask` unanswered. */
  readonly left: Promise<void>;
}
