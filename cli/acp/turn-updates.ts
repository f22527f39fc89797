import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import type { TurnEvent } from "../../src/client/turn-event.ts";
import { RepeatedText } from "./repeated-text.ts";
import { callUpdate, resultUpdate } from "./tool-update.ts";

const PLAN_LINE = /^\d+\. \[(.)\] (.*)$/;
const PLAN_STATUS: Readonly<Record<string, PlanEntry["status"]>> = {
  " ": "pending",
  ">": "in_progress",
  x: "completed",
};

/** What an editor is shown of the events of a turn. */
export class TurnUpdates {
  readonly #texts = new RepeatedText();
  readonly #thoughts = new RepeatedText();
  #block = 0;

  take(event: TurnEvent): SessionUpdate[] {
    switch (event.event) {
      case "content_block_start": {
        const { block_index: index, replaces_from: from } = event.data;
        this.#block = index;
        if (from !== undefined) for (const said of [this.#texts, this.#thoughts]) said.replace(from);
        return [];
      }
      case "text_delta":
        return chunk("agent_message_chunk", this.#texts.take(this.#block, event.data.text));
      case "thinking_delta":
        return chunk("agent_thought_chunk", this.#thoughts.take(this.#block, event.data.text));
      case "tool_call":
        return [callUpdate(event.data)];
      case "tool_result":
        return [resultUpdate(event.data)];
      case "working_memory_update":
        return planOf(event.data.content);
      default:
        return [];
    }
  }
}

export const chunk = (
  kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
  text: string,
): SessionUpdate[] => (text === "" ? [] : [{ sessionUpdate: kind, content: { type: "text", text } }]);

/** The plan of a note that the tool `plan` has written. */
function planOf(note: string): SessionUpdate[] {
  const [heading, ...lines] = note.split("\n");
  if (heading !== "Plan:") return [];
  const entries = lines.flatMap((line): PlanEntry[] => {
    const [, mark = "", content = ""] = PLAN_LINE.exec(line) ?? [];
    const status = PLAN_STATUS[mark];
    return status === undefined ? [] : [{ content, status, priority: "medium" }];
  });
  return [{ sessionUpdate: "plan", entries }];
}
