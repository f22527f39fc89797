import type { EngineEventData, StoredEvent } from "../../contract/engine/events.ts";

type ToolCall = EngineEventData["tool_call"];
export type HumanRequest = EngineEventData["hitl_request"];

/** What a turn waits for. */
export interface Blockers {
  readonly requests: readonly HumanRequest[];
  /** Calls of tools that the client runs. */
  readonly calls: readonly ToolCall[];
}

/**
 * Reads the events of a turn, and tells where it waits for somebody. That follows from the events alone: whoever reads them
 * again finds the same places. Other calls may still run there.
 */
export class TurnProgress {
  readonly #requests = new Map<string, HumanRequest>();
  readonly #clientCalls = new Map<string, ToolCall>();
  /** Of requests and calls that have their answer before the turn's events say so. */
  readonly #answered: ReadonlySet<string>;
  /** Blocks of the model's last answer that are calls. */
  #blocks = 0;
  /** The calls that came of them. Those for the client come last. */
  readonly #calls = new Set<string>();
  #answerEnded = true;

  constructor(answered: ReadonlySet<string> = new Set()) {
    this.#answered = answered;
  }

  /** Returns whether the turn waits since this event. */
  apply({ event, data }: StoredEvent): boolean {
    switch (event) {
      case "content_block_start":
        if (this.#answerEnded || data.replaces_from !== undefined) this.#begin();
        if (data.block_type === "tool_use") this.#blocks += 1;
        return false;
      case "usage":
        this.#answerEnded = true;
        return false;
      case "message_taken":
        // It may have cut off an answer, whose calls do not run.
        if (data.how === "steer") this.#begin();
        return false;
      case "tool_call":
        if (data.agent === undefined) this.#calls.add(data.tool_call_id);
        if (data.runs === undefined) return false;
        this.#clientCalls.set(data.tool_call_id, data);
        return this.#waits && (data.agent !== undefined || this.#calls.size >= this.#blocks);
      case "tool_result":
        return this.#clientCalls.delete(data.tool_call_id) && this.#waits;
      case "hitl_request":
        this.#requests.set(data.request_id, data);
        return this.#waits;
      case "hitl_resolved":
        return this.#requests.delete(data.request_id) && this.#waits;
      default:
        return false;
    }
  }

  get blockers(): Blockers {
    const requests = [...this.#requests.values()].filter(({ request_id: id }) => !this.#answered.has(id));
    const calls = [...this.#clientCalls.values()].filter(({ tool_call_id: id }) => !this.#answered.has(id));
    return { requests, calls };
  }

  get #waits(): boolean {
    const { requests, calls } = this.blockers;
    return requests.length + calls.length > 0;
  }

  #begin(): void {
    this.#blocks = 0;
    this.#calls.clear();
    this.#answerEnded = false;
  }
}
