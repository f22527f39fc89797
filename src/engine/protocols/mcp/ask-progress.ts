import type { EngineEventData, EventStamp } from "../../../contract/engine/events.ts";
import { type EventRow, eventOf } from "../engine-calls.ts";

export type OpenQuestion = EngineEventData["hitl_request"] & Pick<EventStamp, "seq">;
export type OpenToolCall = EngineEventData["tool_call"];

export type TurnEnd =
  | { readonly kind: "completed"; readonly output: EngineEventData["thread_lifecycle"]["output"] }
  | { readonly kind: "errored"; readonly code: string; readonly message: string };

const MAX_NOTE = 200;

/** What the events of a turn have said so far. */
export class TurnProgress {
  turnId: string | null = null;
  seq = 0;
  end: TurnEnd | null = null;
  readonly questions = new Map<string, OpenQuestion>();
  /** Calls that wait for a client which runs the product's own tools. */
  readonly clientCalls = new Map<string, OpenToolCall>();
  readonly #texts = new Map<number, string>();
  #block = 0;

  /** The texts of the answer, in their order. */
  get answer(): string {
    return [...this.#texts.values()].filter((text) => text !== "").join("\n\n");
  }

  /** Takes an event. Returns what a person may read about it, or null. */
  take(row: EventRow): string | null {
    const event = eventOf(row);
    this.seq = row.seq;
    this.turnId = row.turnId;
    switch (event.event) {
      case "content_block_start":
        return this.#begin(event.data);
      case "text_delta":
        this.#texts.set(this.#block, (this.#texts.get(this.#block) ?? "") + event.data.text);
        return null;
      case "tool_call":
        if (event.data.runs === "client") this.clientCalls.set(event.data.tool_call_id, event.data);
        return `calls ${event.data.tool}`;
      case "tool_result":
        this.clientCalls.delete(event.data.tool_call_id);
        return event.data.error === null ? `${event.data.tool} has returned` : `${event.data.tool} has failed`;
      case "hitl_request":
        this.questions.set(event.data.request_id, event.data);
        return `asks: ${event.data.question}`.slice(0, MAX_NOTE);
      case "hitl_resolved":
        this.questions.delete(event.data.request_id);
        return null;
      case "thread_lifecycle":
        if (event.data.phase === "completed") this.end = { kind: "completed", output: event.data.output };
        return event.data.phase === "started" ? "started" : null;
      case "error":
        this.end = { kind: "errored", code: event.data.error, message: event.data.message };
        return null;
      default:
        return null;
    }
  }

  #begin({ block_index: index, block_type: type, replaces_from: from }: EngineEventData["content_block_start"]): null {
    // A restart cut off these blocks, and the answer repeats them.
    if (from !== undefined) for (const one of this.#texts.keys()) if (one >= from) this.#texts.delete(one);
    this.#block = index;
    if (type === "text") this.#texts.set(index, "");
    return null;
  }
}
