import type { EngineEventData, StoredEvent } from "../../../contract/engine/events.ts";
import { eventOf, type EventRow } from "../engine-calls.ts";
import { dataFrame } from "../sse-writer.ts";
import { TurnProgress } from "../turn-progress.ts";
import { interruptOf } from "./interrupts.ts";
import { RunLog } from "./run-log.ts";
import type { RunNames, RunStart } from "./run-start.ts";
import { RunState } from "./run-state.ts";
import { RunSubagents } from "./run-subagents.ts";
import { RunUsage } from "./run-usage.ts";
import { resultContent } from "./stored-messages.ts";

/** Turns the events of a turn into those of a run. */
export class RunEvents {
  readonly #names: RunNames;
  readonly #start: RunStart;
  readonly #progress: TurnProgress;
  readonly #subagents = new RunSubagents();
  readonly #state: RunState;
  readonly #log: RunLog;
  #frames = "";
  #isSilent: boolean;
  #isOver = false;
  #open: { readonly id: string; readonly kind: "text" | "thinking" } | null = null;
  /** The message that has the calls of the model's last answer. */
  #caller: string | null = null;
  #answerEnded = true;
  readonly #usage = new RunUsage();

  constructor(names: RunNames, start: RunStart) {
    this.#names = names;
    this.#start = start;
    this.#progress = new TurnProgress(start.answered);
    this.#state = new RunState(start.state);
    this.#log = new RunLog(start.messages);
    this.#isSilent = start.seenSeq > 0;
    if (!this.#isSilent) this.#begin();
  }

  /** Whether the run has ended. What is fed later changes nothing. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns the frames for the client. */
  feed(rows: readonly EventRow[]): string {
    for (const row of rows) {
      if (this.#isOver) break;
      this.#feedOne(row);
    }
    return this.#take();
  }

  /** The client knows of the run before anything of its turn has come. */
  open(): string {
    return this.#take();
  }

  /** Ends a run that got no end from its turn. */
  fail({ code, message }: { readonly code: string; readonly message: string }): string {
    if (!this.#isOver) {
      if (this.#isSilent) this.#begin();
      this.#fail(code, message);
    }
    return this.#take();
  }

  /** Ends a run without a turn. */
  finish(): string {
    this.#finish({ type: "success" });
    return this.#take();
  }

  /** Replaces the client's messages. */
  replaceMessages(messages: readonly object[]): string {
    this.#send({ type: "MESSAGES_SNAPSHOT", messages });
    return this.#take();
  }

  #feedOne(row: EventRow): void {
    if (this.#isSilent && row.seq > this.#start.seenSeq) this.#resume();
    const event = eventOf(row);
    if (event.event === "text_delta" || event.event === "thinking_delta") return this.#addText(event.data.text);
    if (!this.#state.hasBegun) {
      this.#state.apply(event);
      this.#sendState();
    }
    const waits = this.#progress.apply(event);
    this.#translate(event);
    const patch = this.#state.apply(event);
    if (patch !== null) this.#send({ type: "STATE_DELTA", delta: [patch] });
    if (waits && row.seq > this.#start.passedSeq && !this.#isSilent && !this.#isOver) this.#pause();
  }

  #begin(): void {
    this.#isSilent = false;
    this.#send({ type: "RUN_STARTED", ...this.#names, protocolVersion: "1.0" });
  }

  /** From here on, the client has not seen the turn. */
  #resume(): void {
    this.#begin();
    this.#usage.begin();
    this.#sendState();
  }

  #translate(event: StoredEvent): void {
    const { data } = event;
    switch (event.event) {
      case "content_block_start":
        this.#startBlock(event.data);
        break;
      case "content_block_stop":
        this.#closeMessage();
        break;
      case "tool_call":
        this.#sendCall(event.data);
        break;
      case "tool_result":
        this.#sendResult(event.data);
        break;
      case "usage":
        this.#answerEnded = true;
        this.#usage.total = event.data;
        break;
      case "model_changed":
      case "compaction_event":
        this.#send({ type: "CUSTOM", name: event.event, value: data });
        break;
      case "thread_lifecycle":
        if (event.data.phase === "completed") this.#finish({ type: "success" }, event.data.output);
        break;
      case "error":
        if (event.data.error === "CANCELLED") this.#finish({ type: "cancelled" });
        else this.#fail(event.data.error, event.data.message);
        break;
    }
  }

  #startBlock({
    block_index: index,
    block_type: kind,
    replaces_from: from,
    turn_id: turnId,
  }: EngineEventData["content_block_start"] & { readonly turn_id: string }): void {
    if (from !== undefined) this.#replaceFrom(from);
    if (this.#answerEnded || from !== undefined) {
      this.#answerEnded = false;
      this.#caller = null;
    }
    this.#log.block = index;
    const id = `${turnId}.${index}`;
    if (kind === "tool_use") {
      this.#caller ??= id;
      return;
    }
    this.#open = { id, kind };
    if (kind === "text") {
      this.#caller = id;
      this.#log.add({ id, role: "assistant", content: "" });
      this.#send({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" });
    } else {
      this.#log.add({ id, role: "reasoning", content: "" });
      this.#send({ type: "REASONING_START", messageId: id });
      this.#send({ type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" });
    }
  }

  #addText(delta: string): void {
    if (this.#open === null || this.#isSilent || delta === "") return;
    const { id: messageId, kind } = this.#open;
    this.#log.extend(delta);
    this.#send({ type: kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT", messageId, delta });
  }

  #closeMessage(): void {
    if (this.#open === null) return;
    const { id: messageId, kind } = this.#open;
    this.#open = null;
    if (kind === "text") return this.#send({ type: "TEXT_MESSAGE_END", messageId });
    this.#send({ type: "REASONING_MESSAGE_END", messageId });
    return this.#send({ type: "REASONING_END", messageId });
  }

  /** A restart has cut off an answer, which comes again: the client's messages go back to those before it. */
  #replaceFrom(block: number): void {
    this.#closeMessage();
    if (this.#isSilent || !this.#log.dropFrom(block)) return;
    this.#send({ type: "MESSAGES_SNAPSHOT", messages: this.#log.messages });
  }

  #sendCall(call: EngineEventData["tool_call"]): void {
    const { tool_call_id: toolCallId, tool: toolCallName, input, agent } = call;
    this.#subagents.noteCall(call);
    const own = this.#attribution(call);
    const parent = agent === undefined && this.#caller !== null ? { parentMessageId: this.#caller } : {};
    const text = JSON.stringify(input);
    this.#log.addCall({ id: toolCallId, name: toolCallName, text, parent: parent.parentMessageId });
    this.#send({ type: "TOOL_CALL_START", toolCallId, toolCallName, ...parent, ...own });
    this.#send({ type: "TOOL_CALL_ARGS", toolCallId, delta: text, ...own });
    this.#send({ type: "TOOL_CALL_END", toolCallId, ...own });
  }

  #sendResult(result: EngineEventData["tool_result"]): void {
    const { tool_call_id: toolCallId, error } = result;
    const own = this.#attribution(result);
    for (const ended of this.#subagents.endsWith(result)) this.#send(ended);
    if (this.#start.answered.has(toolCallId)) return;
    const messageId = `${toolCallId}.result`;
    const content = resultContent(result);
    this.#log.add({ id: messageId, role: "tool", toolCallId, content });
    const metadata = error === null ? {} : { metadata: { error } };
    this.#send({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool", ...metadata, ...own });
  }

  /** Of what a sub-agent does: its run, which begins with that. */
  #attribution(event: Pick<EngineEventData["tool_call"], "agent" | "parent_tool_call_id">): object {
    const { agent: name, parent_tool_call_id: subagentRunId } = event;
    if (name === undefined || subagentRunId === undefined) return {};
    this.#subagents.note(subagentRunId, name);
    if (!this.#isSilent) for (const started of this.#subagents.start(subagentRunId)) this.#send(started);
    return { subagentRunId };
  }

  #sendState(): void {
    const { snapshot } = this.#state;
    if (snapshot !== null) this.#send({ type: "STATE_SNAPSHOT", snapshot });
  }

  /** Nothing goes on until somebody answers. The turn stays open, and the next run goes on with it. */
  #pause(): void {
    const { requests, calls } = this.#progress.blockers;
    const ownerOf = ({ context }: (typeof requests)[number]) =>
      this.#subagents.ownerOf(String(context["tool_call_id"]));
    const suspended = requests.map((request) => ({ id: request.request_id, owner: ownerOf(request) }));
    for (const ended of this.#subagents.suspend(suspended)) this.#send(ended);
    if (requests.length === 0)
      return this.#finish({ type: "success", pendingToolCallIds: calls.map(({ tool_call_id: id }) => id) });
    const interrupts = requests.map((request) => interruptOf(request, ownerOf(request)));
    return this.#finish({ type: "interrupt", interrupts });
  }

  #finish(outcome: object, result?: unknown): void {
    this.#closeMessage();
    if (!this.#isSilent) for (const ended of this.#subagents.suspend([])) this.#send(ended);
    this.#send({
      type: "RUN_FINISHED",
      ...this.#names,
      outcome,
      ...(result !== undefined && { result }),
      ...this.#usage.shown,
    });
    this.#isOver = !this.#isSilent;
  }

  #fail(code: string, message: string): void {
    this.#closeMessage();
    this.#send({ type: "RUN_ERROR", code, message, ...this.#usage.shown });
    this.#isOver = !this.#isSilent;
  }

  #send(event: object): void {
    if (this.#isSilent) return;
    this.#frames += dataFrame(event);
  }

  #take(): string {
    const frames = this.#frames;
    this.#frames = "";
    return frames;
  }
}
