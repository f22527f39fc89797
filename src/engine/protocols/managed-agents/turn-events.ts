import type { StoredEvent } from "../../../contract/engine/events.ts";
import { type ContentBlock, resultBlocks, textBlock } from "./content-blocks.ts";
import { eventId } from "./event-ids.ts";
import { ModelSpans } from "./model-spans.ts";
import { type ChangeKind, OpenActions } from "./open-actions.ts";
import { failure } from "./session-errors.ts";
import {
  END,
  type Moment,
  QUESTION_TOOL,
  START,
  type SessionEvent,
  agentMessage,
  agentThinking,
  customToolResult,
  customToolUse,
  idle,
  messageName,
  running,
  sessionEvent,
  toolResult,
  toolUse,
  userMessage,
} from "./session-event.ts";

/** A preview of an event that is being made, for readers that ask for it. */
export type Preview =
  | { readonly type: "event_start"; readonly event: { readonly id: string; readonly type: string } }
  | {
      readonly type: "event_delta";
      readonly event_id: string;
      readonly delta: { readonly type: "content_delta"; readonly content: ContentBlock; readonly index: 0 };
    };

interface Reader {
  /** The messages of the user in a turn, in their order. */
  readonly messages: (turnId: string) => Promise<readonly (readonly ContentBlock[])[]>;
  readonly event: (event: SessionEvent) => void;
  readonly preview?: (preview: Preview) => void;
  /** An answer that a restart cut off is repeated: the turn's messages and thinking from these numbers on come again. */
  readonly replaced?: (from: { readonly texts: number; readonly thoughts: number }) => void;
}

interface Block {
  readonly index: number;
  readonly kind: string;
  /** Its number among the texts or thoughts of the turn. */
  readonly number: number;
  text: string;
}

type Of<Type extends StoredEvent["event"]> = Extract<StoredEvent, { event: Type }>["data"];

/** Translates the events of a session's turns, one turn after another. */
export class TurnEvents {
  readonly #reader: Reader;
  readonly #open: OpenActions;
  readonly #spans: ModelSpans;
  #blocks: Block[] = [];
  #texts = 0;
  #thoughts = 0;
  #userMessages = 0;
  /** Calls that were shown, by their ids: whether the client runs them. */
  #calls = new Map<string, { readonly isForClient: boolean }>();
  /** Calls of delegated agents, which are shown only when they ask for a permission. */
  #hidden = new Map<string, Of<"tool_call">>();

  constructor(reader: Reader) {
    this.#reader = reader;
    this.#open = new OpenActions(reader.event);
    this.#spans = new ModelSpans(reader.event);
  }

  /** Returns a promise only where it has to read, so that thousands of deltas cost no waits. */
  add(stored: StoredEvent): Promise<void> | undefined {
    const { event, data } = stored;
    const moment = { turnId: data.turn_id, at: data.ts };
    this.#open.settleBefore(this.#changeOf(stored));
    if (event === "thread_lifecycle" && data.phase === "started") return this.#start(moment);
    if (event === "message_taken" && data.how === "steer") return this.#userMessage(moment);
    this.#apply(stored, moment);
    return undefined;
  }

  #apply({ event, data }: StoredEvent, moment: Moment): void {
    switch (event) {
      case "thread_lifecycle":
        return this.#end(moment, data);
      case "content_block_start":
        this.#spans.begin(moment);
        return this.#startBlock(data);
      case "text_delta":
        return this.#addText(moment, data.text);
      case "content_block_stop":
        return this.#stopBlock(moment, data.block_index);
      case "tool_call":
        return this.#call(moment, data);
      case "tool_result":
        return this.#result(moment, data);
      case "hitl_request":
        return this.#ask(moment, data);
      case "hitl_resolved":
        return this.#resolve(moment, data);
      case "compaction_event":
        return this.#reader.event(sessionEvent(moment, `compacted${data.seq}`, "agent.thread_context_compacted"));
      case "usage":
        return this.#spans.end(moment, data);
      case "error":
        return this.#fail(moment, data);
      default:
        return undefined;
    }
  }

  /** To be called when no further event is there yet: tells what the turn waits for. */
  settle(): void {
    this.#open.settle();
  }

  /** Whether an event opens or closes what the turn waits for. */
  #changeOf({ event, data }: StoredEvent): ChangeKind | null {
    if (event === "hitl_request" || (event === "tool_call" && data.runs === "client")) return "opened";
    if (event === "hitl_resolved") return "closed";
    return event === "tool_result" && this.#calls.get(data.tool_call_id)?.isForClient === true ? "closed" : null;
  }

  async #start(moment: Moment): Promise<void> {
    this.#blocks = [];
    [this.#texts, this.#thoughts, this.#userMessages] = [0, 0, 0];
    this.#calls.clear();
    this.#hidden.clear();
    this.#spans.reset();
    this.#open.reset();
    await this.#userMessage(moment);
    this.#reader.event(running(moment, START));
  }

  async #userMessage(moment: Moment): Promise<void> {
    const index = this.#userMessages++;
    const content = (await this.#reader.messages(moment.turnId))[index];
    if (content !== undefined) this.#reader.event(userMessage(moment, index, content));
  }

  #end(moment: Moment, { phase }: Of<"thread_lifecycle">): void {
    this.#open.reset();
    this.#spans.fail(moment);
    if (phase === "completed") this.#reader.event(idle(moment, END, { type: "end_turn" }));
  }

  #fail(moment: Moment, { error, message }: Of<"error">): void {
    const { event, reason } = failure(moment, error, message);
    this.#reader.event(event);
    this.#reader.event(idle(moment, END, reason));
  }

  #startBlock({ block_index: index, block_type: kind, replaces_from: from }: Of<"content_block_start">): void {
    if (from !== undefined) this.#replaceFrom(from);
    const number = kind === "text" ? this.#texts : this.#thoughts;
    this.#blocks.push({ index, kind, number, text: "" });
    if (kind === "thinking") this.#thoughts++;
  }

  #replaceFrom(from: number): void {
    const replaced = this.#blocks.filter(({ index }) => index >= from);
    this.#blocks = this.#blocks.filter(({ index }) => index < from);
    for (const { kind, number } of replaced)
      if (kind === "text") this.#texts = Math.min(this.#texts, number);
      else if (kind === "thinking") this.#thoughts = Math.min(this.#thoughts, number);
    this.#reader.replaced?.({ texts: this.#texts, thoughts: this.#thoughts });
  }

  #addText({ turnId }: Moment, text: string): void {
    const block = this.#blocks.at(-1);
    if (block === undefined || text === "") return;
    const id = eventId(turnId, messageName(block.number));
    if (block.text === "") this.#reader.preview?.({ type: "event_start", event: { id, type: "agent.message" } });
    block.text += text;
    const delta = { type: "content_delta", content: textBlock(text), index: 0 } as const;
    this.#reader.preview?.({ type: "event_delta", event_id: id, delta });
  }

  #stopBlock(moment: Moment, index: number): void {
    const block = this.#blocks.findLast((one) => one.index === index);
    if (block?.kind === "thinking") this.#reader.event(agentThinking(moment, block.number));
    if (block?.kind !== "text" || block.text === "") return;
    this.#texts = block.number + 1;
    this.#reader.event(agentMessage(moment, block.number, block.text));
  }

  #call(moment: Moment, data: Of<"tool_call">): void {
    const { tool, tool_call_id: id, input, runs, agent } = data;
    // Its question is shown, when it is asked.
    if (tool === QUESTION_TOOL) return;
    if (runs === "client") {
      this.#calls.set(id, { isForClient: true });
      this.#reader.event(customToolUse(moment, id, tool, input));
      this.#open.add(id, { moment, seq: data.seq });
    } else if (agent !== undefined) this.#hidden.set(id, data);
    else this.#show(moment, data);
  }

  #show(moment: Moment, { tool, tool_call_id: id, input }: Of<"tool_call">): void {
    this.#calls.set(id, { isForClient: false });
    this.#reader.event(toolUse(moment, { id, tool, input }));
  }

  #result(moment: Moment, data: Of<"tool_result">): void {
    const { tool, tool_call_id: id, output, error, attachments, seq } = data;
    const call = this.#calls.get(id);
    if (call === undefined) return;
    const result = { content: resultBlocks(output, error, attachments), is_error: error !== null };
    this.#reader.event(
      call.isForClient ? customToolResult(moment, id, result) : toolResult(moment, { id, tool }, result),
    );
    if (call.isForClient) this.#open.remove(id, { moment, seq });
  }

  #ask(moment: Moment, data: Of<"hitl_request">): void {
    const { request_id: id, kind, question, options, context, seq } = data;
    if (kind !== "permission") {
      this.#reader.event(customToolUse(moment, id, QUESTION_TOOL, { question, options }));
      this.#open.add(id, { moment, seq });
      return;
    }
    const callId = String(context["tool_call_id"]);
    const hidden = this.#hidden.get(callId);
    if (hidden !== undefined && !this.#calls.has(callId)) this.#show(moment, hidden);
    this.#open.add(callId, { moment, seq, request: id });
  }

  #resolve(moment: Moment, { request_id: id, answer, seq }: Of<"hitl_resolved">): void {
    const callId = this.#open.callOf(id);
    const isClosed = isClosedAnswer(answer);
    if (callId === null) {
      const content = [textBlock(answer)];
      this.#reader.event(customToolResult(moment, id, { content, is_error: isClosed }));
    } else if (!isClosed) {
      const result = answer.startsWith("allow") ? "allow" : "deny";
      const more = { tool_use_id: eventId(moment.turnId, callId), result };
      this.#reader.event(sessionEvent(moment, id, "user.tool_confirmation", more));
    }
    this.#open.remove(callId ?? id, { moment, seq });
  }
}

/** What the engine answers itself when nobody has. */
const isClosedAnswer = (answer: string): boolean => answer === "cancelled" || answer === "expired";
