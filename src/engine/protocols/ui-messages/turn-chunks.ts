import type { EngineEventData, StoredEvent } from "../../../contract/engine/events.ts";
import { PUBLISH_FILE } from "../../../contract/engine/tool-names.ts";
import { isRecord } from "../../../shared/json-values.ts";
import { type EventRow, eventOf } from "../engine-calls.ts";
import { ASK_TOOL, type Chunk, type MessageMetadata, type Piece, metadataChunk } from "./chunks.ts";
import {
  type ShownCall,
  approvalRequest,
  approvalResponse,
  callChunks,
  inputAvailable,
  inputStart,
  isQuestion,
  outcomeChunk,
  questionInput,
} from "./shown-call.ts";
import { type ShownBlock, ShownStep } from "./shown-step.ts";

/** Events that say nothing about what runs. */
const WHILE_ASKING = new Set(["hitl_request", "hitl_resolved", "usage"]);

/**
 * Translates the events of a turn, in their order, into chunks of one message. A step of the message is an answer of the
 * model with the results of its calls.
 */
export class TurnChunks {
  #out: Piece[] = [];
  #isSilent = false;
  #step: ShownStep | null = null;
  #block: ShownBlock | null = null;
  #blockIndex = 0;
  readonly #calls = new Map<string, ShownCall>();
  readonly #requests = new Map<string, { readonly call: ShownCall; readonly isSynthetic: boolean }>();
  #held: ShownCall[] = [];
  #usage: EngineEventData["usage"] | null = null;
  #steered = 0;
  /** The last event. */
  seq = 0;
  isOver = false;

  /** What the turn waits for, as far as its events tell. */
  get waitsFor(): "human" | "client" | null {
    if (this.#requests.size > 0) return "human";
    for (const call of this.#calls.values())
      if (call.isForClient && !isQuestion(call) && call.input !== undefined && !call.outcome) return "client";
    return null;
  }

  /** The pieces for these events, without those up to `silentTo`, which the client has. */
  take(rows: readonly EventRow[], { silentTo = 0 } = {}): readonly Piece[] {
    this.#out = [];
    for (const row of rows) {
      this.#isSilent = row.seq <= silentTo;
      if (this.#held.length > 0 && !WHILE_ASKING.has(row.type)) this.#showHeld();
      this.#translate(eventOf(row));
      this.seq = row.seq;
    }
    return this.#out;
  }

  /** The end of a stream whose turn waits for the client. */
  pause(): readonly Chunk[] {
    const resume = { seq: this.seq, at_step: false };
    return [this.#finish("tool-calls", { status: "waiting_for_human", resume })];
  }

  #emit(...pieces: readonly Piece[]): void {
    if (!this.#isSilent) this.#out.push(...pieces);
  }

  #translate({ event, data }: StoredEvent): void {
    switch (event) {
      case "text_delta":
      case "thinking_delta":
        return this.#addText(data.text);
      case "content_block_start":
        return this.#startBlock(data);
      case "content_block_stop":
        return this.#endBlock();
      case "tool_input_delta":
        return this.#addInput(data);
      case "tool_call":
        return this.#showCall(data);
      case "tool_result":
        return this.#showResult(data);
      case "usage": {
        const { input_tokens, output_tokens, cache_hit_tokens } = data;
        this.#usage = { input_tokens, output_tokens, cache_hit_tokens };
        if (this.#step !== null) this.#step.isWritten = true;
        return undefined;
      }
      case "hitl_request":
        return data.kind === "permission" ? this.#askPermission(data) : this.#ask(data);
      case "hitl_resolved":
        return this.#resolve(data);
      case "message_taken": {
        if (data.how !== "steer") return undefined;
        const { turn_id: turnId, message_id: messageId } = data;
        return this.#emit({ look: "steering", turnId, messageId, number: ++this.#steered });
      }
      case "thread_lifecycle":
        return data.phase === "completed" ? this.#complete(data.output) : undefined;
      case "error":
        return this.#fail(data);
      case "working_memory_update":
      case "compaction_event":
      case "model_changed":
      case "file_changed": {
        const { ts: _, seq: _seq, task_id: _task, turn_id: _turn, ...rest } = data;
        return this.#emit({ type: `data-${event}`, data: rest, transient: true });
      }
      default:
        return undefined;
    }
  }

  /** Begins a step. A client that has the message up to here can read on from it. */
  #openStep(before: number): ShownStep {
    if (this.#step !== null) this.#emit({ type: "finish-step" });
    this.#step = new ShownStep();
    const resume = { seq: before, at_step: true };
    this.#emit({ type: "start-step" }, metadataChunk({ resume }));
    return this.#step;
  }

  #startBlock({ block_index: index, block_type: kind, replaces_from: from, seq }: DataOf<"content_block_start">): void {
    this.#blockIndex = index;
    if (from !== undefined) this.#cutFrom(from);
    if (kind === "tool_use") return;
    const step = this.#step === null || this.#step.isOver ? this.#openStep(seq - 1) : this.#step;
    const type = kind === "text" ? "text" : "reasoning";
    this.#block = { type, index, id: `${index}`, text: "", isOpen: true };
    step.add(this.#block);
    this.#emit({ type: `${type}-start`, id: this.#block.id });
  }

  /** An answer that a restart cut off is repeated: its blocks and calls are shown no longer. */
  #cutFrom(index: number): void {
    const cut = this.#step?.cutFrom(index) ?? null;
    if (cut === null) return;
    for (const { id } of cut) this.#calls.delete(id);
    this.#block = null;
    this.#emit({ type: "reset-step" }, ...(this.#step?.chunks() ?? []));
  }

  #addText(delta: string): void {
    if (this.#block === null) return;
    this.#block.text += delta;
    this.#emit({ type: `${this.#block.type}-delta`, id: this.#block.id, delta });
  }

  #endBlock(): void {
    if (this.#block === null) return;
    this.#block.isOpen = false;
    this.#emit({ type: `${this.#block.type}-end`, id: this.#block.id });
    this.#block = null;
  }

  #newCall(id: string, tool: string, seq: number): ShownCall {
    const step = this.#step === null || this.#step.isAnswered ? this.#openStep(seq - 1) : this.#step;
    const call: ShownCall = { id, tool, block: this.#blockIndex, isShown: true, isForClient: isQuestion({ tool }) };
    this.#calls.set(id, call);
    step.addCall(call);
    return call;
  }

  #addInput({ tool, tool_call_id: id, json, seq }: DataOf<"tool_input_delta">): void {
    if (!this.#calls.has(id)) this.#emit(inputStart(this.#newCall(id, tool, seq)));
    this.#emit({ type: "tool-input-delta", toolCallId: id, inputTextDelta: json });
  }

  #showCall(data: DataOf<"tool_call">): void {
    const { tool, tool_call_id: id, input, runs, agent, parent_tool_call_id, seq } = data;
    const call = this.#calls.get(id) ?? this.#newCall(id, tool, seq);
    call.input = input;
    if (agent !== undefined) call.agent = { agent, parent_tool_call_id };
    call.isForClient = runs === "client" || isQuestion(call);
    this.#emit(inputAvailable(call));
  }

  #showResult({ tool_call_id: id, tool, output, error, attachments = [] }: DataOf<"tool_result">): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    call.outcome = error === null ? { output } : { error };
    this.#emit(outcomeChunk(call), ...attachments.map((file): Piece => ({ look: "file", file })));
    if (tool !== PUBLISH_FILE || !isRecord(output) || typeof output["artifact_id"] !== "string") return;
    const { path, media_type, title } = output as Record<string, string>;
    this.#emit({ type: "data-artifact", id: output["artifact_id"], data: output });
    if (path !== undefined && media_type !== undefined)
      this.#emit({ look: "file", file: { path, media_type, ...(title !== undefined && { name: title }) } });
  }

  /**
   * A prompt comes before any call of its step runs, and one at a time. The other calls are held back until then: a client
   * answers when no call of the last step is open.
   */
  #askPermission({ request_id: requestId, question, options, context, seq }: DataOf<"hitl_request">): void {
    const id = typeof context["tool_call_id"] === "string" ? context["tool_call_id"] : requestId;
    const isKnown = this.#calls.has(id);
    const call = this.#calls.get(id) ?? this.#newCall(id, String(context["tool"]), seq);
    call.input ??= {};
    const held = this.#step?.undecided(call) ?? [];
    for (const other of held) other.isShown = false;
    this.#held.push(...held);
    this.#held = this.#held.filter((other) => other !== call);
    const wasShown = isKnown && call.isShown;
    call.isShown = true;
    call.approval = { id: requestId, question, options };
    this.#requests.set(requestId, { call, isSynthetic: false });
    if (held.length > 0 || this.#step?.hasAnswers) this.#emit({ type: "reset-step" }, ...(this.#step?.chunks() ?? []));
    else if (wasShown) this.#emit(approvalRequest(call));
    else this.#emit(...callChunks(call));
  }

  #ask({ request_id: requestId, question, options, context, seq }: DataOf<"hitl_request">): void {
    const asking = this.#calls.get(String(context["tool_call_id"]));
    if (asking !== undefined && isQuestion(asking)) {
      this.#requests.set(requestId, { call: asking, isSynthetic: false });
      return;
    }
    const call = this.#newCall(requestId, ASK_TOOL, seq);
    call.input = questionInput(question, options, context["allow_free_text"]);
    this.#requests.set(requestId, { call, isSynthetic: true });
    this.#emit(inputAvailable(call));
  }

  #resolve({ request_id: id, answer }: DataOf<"hitl_resolved">): void {
    const { call, isSynthetic } = this.#requests.get(id) ?? {};
    this.#requests.delete(id);
    if (call === undefined) return;
    if (isSynthetic) {
      call.outcome = { output: { answer } };
      this.#emit(outcomeChunk(call));
    } else if (call.approval !== undefined) {
      call.approval.approved = answer.startsWith("allow_");
      this.#emit(approvalResponse(call));
    }
  }

  #showHeld(): void {
    for (const call of this.#held) {
      call.isShown = true;
      this.#emit(...callChunks(call));
    }
    this.#held = [];
  }

  #complete(output: unknown): void {
    this.isOver = true;
    if (output !== undefined) this.#emit({ type: "data-output", data: output });
    // A client sends a message again whose last step has answered calls.
    if (this.#step?.hasCalls) this.#emit({ type: "finish-step" }, { type: "start-step" });
    if (this.#step !== null) this.#emit({ type: "finish-step" });
    this.#emit(this.#finish("stop", { status: "completed" }));
  }

  #fail({ error: code, message }: DataOf<"error">): void {
    this.isOver = true;
    this.#requests.clear();
    this.#emit(metadataChunk({ status: "errored", error: { code, message }, ...this.#used() }));
    this.#emit(code === "CANCELLED" ? { type: "abort", reason: message } : { type: "error", errorText: message });
  }

  #used(): MessageMetadata {
    return this.#usage === null ? {} : { usage: this.#usage };
  }

  #finish(finishReason: string, metadata: MessageMetadata): Chunk {
    return { type: "finish", finishReason, messageMetadata: { ...metadata, ...this.#used() } };
  }
}

type DataOf<Type extends StoredEvent["event"]> = Extract<StoredEvent, { readonly event: Type }>["data"];
