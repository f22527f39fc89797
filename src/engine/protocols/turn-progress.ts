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
 * Reads the events of a turn, and tells where nothing of it goes on until somebody answers. That follows from the events
 * alone: whoever reads them again finds the same places.
 */
export class TurnProgress {
  readonly #open = new Map<string, ToolCall>();
  readonly #requests = new Map<string, HumanRequest>();
  /** Of the model's last answer: blocks that are calls, and the calls that came of them. */
  #blocks = 0;
  #calls = 0;
  #answerEnded = true;

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
        if (data.agent === undefined) this.#calls += 1;
        this.#open.set(data.tool_call_id, data);
        return data.runs === "client" && this.#waits();
      case "tool_result":
        this.#open.delete(data.tool_call_id);
        return this.#waits();
      case "hitl_request":
        this.#requests.set(data.request_id, data);
        return this.#waits();
      case "hitl_resolved":
        this.#requests.delete(data.request_id);
        return false;
      default:
        return false;
    }
  }

  get blockers(): Blockers {
    const calls = [...this.#open.values()].filter(({ runs }) => runs === "client");
    return { requests: [...this.#requests.values()], calls };
  }

  #begin(): void {
    this.#blocks = 0;
    this.#calls = 0;
    this.#answerEnded = false;
  }

  #waits(): boolean {
    if (this.#calls < this.#blocks) return false;
    const open = [...this.#open.values()];
    const asking = new Set([...this.#requests.values()].map(({ context }) => context["tool_call_id"]));
    const isBlocked = ({ tool_call_id: id, runs }: ToolCall): boolean => {
      if (runs === "client" || asking.has(id)) return true;
      const inside = open.filter(({ parent_tool_call_id: parent }) => parent === id);
      return inside.length > 0 && inside.every(isBlocked);
    };
    const outer = open.filter(({ parent_tool_call_id: parent }) => parent === undefined);
    return (outer.length > 0 || asking.size > 0) && outer.every(isBlocked);
  }
}
