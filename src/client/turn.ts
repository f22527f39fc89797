import { OrchdError } from "./orchd-error.ts";
import type { HumanResponder } from "./human-responder.ts";
import { TurnTally, type TurnResult } from "./turn-tally.ts";
import type { TurnEvent } from "./turn-event.ts";

/** A turn's reading, once it has begun. */
export interface TurnReading {
  readonly events: AsyncIterable<TurnEvent>;
  readonly humans: HumanResponder;
  /** Whether what is read now may have been answered long ago. */
  readonly isReplayed: () => boolean;
  readonly close: () => void;
}

interface Parts {
  readonly taskId: string;
  readonly turnId: () => string | null;
  readonly begin: () => TurnReading;
  readonly cancel: () => Promise<boolean>;
}

type End = { readonly kind: "read" } | { readonly kind: "left" } | { readonly kind: "failed"; readonly error: unknown };

/**
 * One turn. It begins when it is first read: by `for await`, `text()` or `result()`. Its events come once; whoever
 * leaves them leaves the turn running, unless it was begun with `onDisconnect: "cancel"`.
 */
export class Turn implements AsyncIterable<TurnEvent> {
  readonly #parts: Parts;
  readonly #tally = new TurnTally();
  readonly #events: AsyncGenerator<TurnEvent>;
  #isRead = false;
  #end: End | null = null;
  readonly #waiting: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#events = this.#read();
  }

  get taskId(): string {
    return this.#parts.taskId;
  }

  /** Null until the engine has named it. */
  get turnId(): string | null {
    return this.#parts.turnId();
  }

  [Symbol.asyncIterator](): AsyncGenerator<TurnEvent> {
    return this.#events;
  }

  /** The whole answer. A turn that failed throws what its `error` event says. */
  async text(): Promise<string> {
    return (await this.result()).text;
  }

  /** What the turn came to, read to its end by this or, where that has begun, by the loop that reads it. */
  async result(): Promise<TurnResult> {
    const end = await this.#ended();
    if (end.kind === "failed") throw end.error;
    if (end.kind === "left") {
      throw new OrchdError({ code: "STREAM_LEFT", message: "the turn's events were not read to their end" });
    }
    if (this.#tally.failure !== null) throw this.#tally.failure;
    return this.#tally.result({ taskId: this.taskId, turnId: this.turnId });
  }

  /** Ends the turn in the engine; its events say how. False when it was over already. */
  cancel(): Promise<boolean> {
    return this.#parts.cancel();
  }

  async #ended(): Promise<End> {
    if (this.#end === null && this.#isRead) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else if (this.#end === null) await this.#readAll();
    return this.#end ?? { kind: "left" };
  }

  async #readAll(): Promise<void> {
    try {
      while ((await this.#events.next()).done !== true);
    } catch (error) {
      this.#end = { kind: "failed", error };
    }
  }

  async *#read(): AsyncGenerator<TurnEvent> {
    this.#isRead = true;
    let end: End = { kind: "left" };
    const { events, humans, isReplayed, close } = this.#parts.begin();
    try {
      for await (const event of events) {
        this.#tally.take(event);
        // Before the yield: an open prompt is closed before the reader shows the answer.
        if (event.event === "hitl_resolved") humans.resolved(event.data.request_id);
        yield event;
        // Behind the yield: the reader has seen the question before it is asked to answer it.
        if (event.event === "hitl_request") humans.ask(event.data, { replayed: isReplayed() });
      }
      end = { kind: "read" };
    } catch (error) {
      end = { kind: "failed", error };
      throw error;
    } finally {
      this.#end = end;
      humans.close();
      close();
      for (const resolve of this.#waiting) resolve();
    }
  }
}
