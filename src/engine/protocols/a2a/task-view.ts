import type { EngineEventData, StoredEvent } from "../../../contract/engine/events.ts";
import { type EventRow, eventOf } from "../engine-calls.ts";
import { type HumanRequest, TurnProgress } from "../turn-progress.ts";
import type { State } from "./requests.ts";

export interface Artifact {
  readonly artifactId: string;
  readonly name: string;
  readonly description?: string;
  readonly parts: readonly object[];
  readonly metadata?: object;
}

const ANSWER = { artifactId: "answer", name: "answer" } as const;
const BETWEEN_BLOCKS = "\n\n";
type Usage = Pick<EngineEventData["usage"], "input_tokens" | "output_tokens" | "cache_hit_tokens">;

/** What an event changed in the answer: text at its end, or all of it. */
export type AnswerChange = { readonly kind: "added"; readonly text: string } | { readonly kind: "replaced" };

/** A turn as a task of A2A, read from its events. */
export class TaskView {
  readonly turnId: string;
  readonly contextId: string;
  readonly #answered = new Set<string>();
  /** Ids of all its requests, and of all its calls of the client's tools. */
  readonly #asked = new Set<string>();
  readonly #progress = new TurnProgress(this.#answered);
  /** The answer's blocks, by their number. */
  #blocks: { readonly index: number; text: string }[] = [];
  #output: object | undefined;
  #state: State = "TASK_STATE_WORKING";
  #failure: string | null = null;
  #usage: Usage | null = null;
  #changedAt: string | null = null;
  #lastSeq = 0;
  #publishes = false;
  #isWhole = false;
  /** The last answer to a question, for one that is sent again. */
  #lastAnswer: string | null = null;

  constructor({ turnId, contextId }: { readonly turnId: string; readonly contextId: string }) {
    this.turnId = turnId;
    this.contextId = contextId;
  }

  /** Returns what the event changed in the answer. */
  apply(row: EventRow): AnswerChange | null {
    this.#lastSeq = row.seq;
    const event = eventOf(row);
    if (event.event === "text_delta") return this.#add(event.data.text);
    this.#noteAsked(event);
    if (this.#progress.apply(event)) this.#become("TASK_STATE_INPUT_REQUIRED", event.data.ts);
    switch (event.event) {
      case "content_block_start":
        this.#resumeUnblocked(event.data.ts);
        return this.#startBlock(event.data);
      case "usage": {
        const { input_tokens, output_tokens, cache_hit_tokens } = event.data;
        this.#usage = { input_tokens, output_tokens, cache_hit_tokens };
        return null;
      }
      case "tool_result":
        this.#publishes ||= event.data.tool === "publish_file";
        this.#resumeUnblocked(event.data.ts);
        return null;
      case "hitl_resolved":
        this.#lastAnswer = event.data.answer;
        this.#resumeUnblocked(event.data.ts);
        return null;
      case "thread_lifecycle":
        this.#isWhole ||= event.data.phase === "started";
        if (event.data.phase === "completed") {
          this.#output = event.data.output;
          this.#become("TASK_STATE_COMPLETED", event.data.ts);
        } else this.#changedAt ??= event.data.ts;
        return null;
      case "error":
        this.#failure = `${event.data.error}: ${event.data.message}`;
        this.#become(event.data.error === "CANCELLED" ? "TASK_STATE_CANCELED" : "TASK_STATE_FAILED", event.data.ts);
        return null;
      default:
        return null;
    }
  }

  /** Whether the events of the turn are kept from its first one on. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get state(): State {
    return this.#state;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get lastAnswer(): string | null {
    return this.#lastAnswer;
  }

  get blockers(): TurnProgress["blockers"] {
    return this.#progress.blockers;
  }

  /** Whether a request or call is one of the turn's. Of one whose first events are kept no longer, nobody knows. */
  mayHaveAsked(id: string): boolean {
    return this.#asked.has(id) || !this.#isWhole;
  }

  /** Whether the turn has published files, which its events do not describe. */
  get publishes(): boolean {
    return this.#publishes;
  }

  get isOver(): boolean {
    return isFinal(this.#state);
  }

  /** Whether nothing goes on before the client does something. */
  get rests(): boolean {
    return this.isOver || this.#state === "TASK_STATE_INPUT_REQUIRED";
  }

  /** The client has answered a request or a call, before the events say so. */
  noteAnswered(id: string): void {
    this.#answered.add(id);
    this.#resumeUnblocked(this.#changedAt);
  }

  get metadata(): object | undefined {
    return this.#usage === null ? undefined : { usage: this.#usage };
  }

  get status(): object {
    const message = this.#statusMessage();
    return {
      state: this.#state,
      ...(message !== null && { message }),
      ...(this.#changedAt !== null && { timestamp: this.#changedAt }),
    };
  }

  get hasAnswer(): boolean {
    return this.#blocks.some(({ text }) => text !== "");
  }

  get answer(): Artifact | null {
    return answerArtifact(this.#blocks.map(({ text }) => text).join(BETWEEN_BLOCKS));
  }

  get output(): Artifact | null {
    if (this.#output === undefined) return null;
    return {
      artifactId: "output",
      name: "output",
      parts: [{ data: this.#output, mediaType: "application/json" }],
    };
  }

  #noteAsked({ event, data }: StoredEvent): void {
    if (event === "hitl_request") this.#asked.add(data.request_id);
    if (event === "tool_call" && data.runs === "client") this.#asked.add(data.tool_call_id);
  }

  #statusMessage(): object | null {
    const ids = { contextId: this.contextId, taskId: this.turnId, role: "ROLE_AGENT" };
    if (this.#failure !== null) return { messageId: `${this.turnId}.error`, ...ids, parts: [{ text: this.#failure }] };
    if (this.#state !== "TASK_STATE_INPUT_REQUIRED") return null;
    const { requests, calls } = this.blockers;
    const parts = [...requests.flatMap(questionParts), ...calls.flatMap(callParts)];
    const messageId = requests[0]?.request_id ?? calls[0]?.tool_call_id ?? this.turnId;
    return { messageId, ...ids, parts };
  }

  #resumeUnblocked(at: string | null): void {
    if (this.#state !== "TASK_STATE_INPUT_REQUIRED") return;
    const { requests, calls } = this.blockers;
    if (requests.length + calls.length === 0) this.#become("TASK_STATE_WORKING", at);
  }

  #become(state: State, at: string | null): void {
    this.#state = state;
    this.#changedAt = at;
  }

  #startBlock({
    block_index: index,
    block_type: kind,
    replaces_from: from,
  }: EngineEventData["content_block_start"]): AnswerChange | null {
    const count = this.#blocks.length;
    if (from !== undefined) this.#blocks = this.#blocks.filter((block) => block.index < from);
    const isCut = this.#blocks.length < count;
    if (kind === "text") this.#blocks.push({ index, text: "" });
    return isCut ? { kind: "replaced" } : null;
  }

  #add(text: string): AnswerChange | null {
    const last = this.#blocks.at(-1);
    if (last === undefined) return null;
    const isFirst = last.text === "" && this.#blocks.length > 1;
    last.text += text;
    return { kind: "added", text: isFirst ? BETWEEN_BLOCKS + text : text };
  }
}

export const isFinal = (state: State): boolean =>
  state === "TASK_STATE_COMPLETED" || state === "TASK_STATE_FAILED" || state === "TASK_STATE_CANCELED";

export const answerArtifact = (text: string): Artifact | null =>
  text === "" ? null : { ...ANSWER, parts: [{ text }] };

/** A question for people, and for programs. */
export function questionParts({ request_id, kind, question, options, context }: HumanRequest): readonly object[] {
  const choice = options.length === 0 ? "" : `\nOptions: ${options.join(", ")}`;
  const data = { request_id, kind, question, options, allow_free_text: context["allow_free_text"] === true };
  return [{ text: question + choice }, { data, mediaType: "application/json" }];
}

function callParts({ tool_call_id, tool, input }: EngineEventData["tool_call"]): readonly object[] {
  const text = `The tool ${tool} waits for its result.`;
  return [{ text }, { data: { tool_call_id, tool, input }, mediaType: "application/json" }];
}
