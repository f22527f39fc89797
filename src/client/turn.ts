import { OrchdError } from "./orchd-error.ts";
import type { ClientToolRunner } from "./client-tools.ts";
import type { HumanResponder } from "./human-responder.ts";
import { type TurnResult, TurnResultBuilder } from "./turn-result.ts";
import type { TurnEvent } from "./turn-event.ts";

/** An open turn. */
export interface TurnReading {
  readonly events: AsyncIterable<TurnEvent>;
  readonly humans: HumanResponder;
  readonly tools: ClientToolRunner;
  /** Whether the current events are replayed, so that their requests may have been answered already. */
  readonly isReplayed: () => boolean;
  readonly close: () => void;
}

interface Parts {
  readonly taskId: string;
  readonly turnId: () => string | null;
  readonly open: () => TurnReading;
  readonly cancel: () => Promise<boolean>;
}

type End = { readonly kind: "read" } | { readonly kind: "left" } | { readonly kind: "failed"; readonly error: unknown };

/**
 * One turn. It starts when it is first read: by `for await`, `text()`, `output()` or `result()`. Its events can be read once.
 * Leaving the loop leaves the turn running, unless it was started with `onDisconnect: "cancel"`.
 */
export class Turn implements AsyncIterable<TurnEvent> {
  readonly #parts: Parts;
  readonly #result = new TurnResultBuilder();
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

  /** Null until the engine has sent it. */
  get turnId(): string | null {
    return this.#parts.turnId();
  }

  [Symbol.asyncIterator](): AsyncGenerator<TurnEvent> {
    return this.#events;
  }

  /** The whole answer. A failed turn throws its error. */
  async text(): Promise<string> {
    return (await this.result()).text;
  }

  /** The result of a turn with an output schema: `T` is the type of the schema. A failed turn throws its error. */
  async output<T extends object = Readonly<Record<string, unknown>>>(): Promise<T> {
    const { output } = await this.result();
    // The engine has checked it by the schema.
    if (output !== null) return output as T;
    throw new OrchdError({
      code: "NO_OUTPUT",
      message: "the turn has no output schema; give `outputSchema`, or an agent that has one",
    });
  }

  /** The turn's result. Reads the turn to its end, or waits for the loop that reads it. */
  async result(): Promise<TurnResult> {
    const end = await this.#ended();
    if (end.kind === "failed") throw end.error;
    if (end.kind === "left") {
      throw new OrchdError({
        code: "STREAM_LEFT",
        message: "the turn's events were not read to their end; call `resume` to read them",
      });
    }
    if (this.#result.failure !== null) throw this.#result.failure;
    return this.#result.build({ taskId: this.taskId, turnId: this.turnId });
  }

  /** Cancels the turn in the engine. False if it has ended already. */
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
    const { events, humans, tools, isReplayed, close } = this.#parts.open();
    try {
      for await (const event of events) {
        this.#result.add(event);
        // Before the yield: an open prompt is closed before the reader shows the answer.
        if (event.event === "hitl_resolved") humans.resolved(event.data.request_id);
        if (event.event === "tool_result") tools.settled(event.data.tool_call_id);
        yield event;
        // After the yield: the reader sees the question before `onHuman` is called with it.
        if (event.event === "hitl_request") humans.ask(event.data, { replayed: isReplayed() });
        if (event.event === "tool_call" && event.data.runs === "client")
          tools.run(event.data, { replayed: isReplayed() });
      }
      end = { kind: "read" };
    } catch (error) {
      end = { kind: "failed", error };
      throw error;
    } finally {
      this.#end = end;
      humans.close();
      tools.close();
      close();
      for (const resolve of this.#waiting) resolve();
    }
  }
}
