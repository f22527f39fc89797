import type { AttachmentRecord, TurnEvent } from "@orchd/client";

interface StepBase {
  /** The number of its first event. */
  readonly seq: number;
  readonly fromMs: number;
  /** Null while it lasts. */
  toMs: number | null;
  events: number;
  /** Its events as they are stored, without deltas. */
  readonly stored: TurnEvent[];
}

/** What a turn did, from several events each. */
export type Step = StepBase &
  (
    | { readonly kind: "text" | "thinking"; readonly block: number; text: string }
    | {
        readonly kind: "tool";
        readonly id: string;
        readonly tool: string;
        readonly input: Readonly<Record<string, unknown>>;
        /** The sub-agent that called it. */
        readonly agent: string | undefined;
        output: unknown;
        error: string | null;
        files: readonly AttachmentRecord[];
      }
    | {
        readonly kind: "question";
        readonly id: string;
        readonly isPermission: boolean;
        readonly question: string;
        readonly options: readonly string[];
        readonly allowsText: boolean;
        answer: string | null;
      }
    /** `said`: what the user wrote while the turn ran. */
    | { readonly kind: "error" | "note" | "compaction" | "said"; readonly text: string }
  );
export type ToolStep = Extract<Step, { kind: "tool" }>;
export type QuestionStep = Extract<Step, { kind: "question" }>;
type TextStep = Extract<Step, { block: number }>;

export interface TurnUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_hit_tokens: number;
}

/** Puts the events of one turn together. It is changed by each event, so that thousands a second cost little. */
export class TurnSteps {
  steps: Step[] = [];
  usage: TurnUsage | null = null;
  phase: "new" | "running" | "completed" | "errored" = "new";
  files: readonly AttachmentRecord[] = [];
  lastSeq = 0;
  events = 0;
  startedMs: number | null = null;
  endedMs: number | null = null;
  readonly #blocks = new Map<number, TextStep>();
  readonly #calls = new Map<string, ToolStep>();
  readonly #questions = new Map<string, QuestionStep>();
  #open: TextStep | null = null;
  /** Events of messages that were sent while it ran. */
  messages = 0;
  /** Whether it took a message whose text is not known here. */
  lacksText = false;
  readonly #sent: ReadonlyMap<string, string>;

  /** `sent` has the texts of messages that may enter the turn, by their ids. */
  constructor(sent: ReadonlyMap<string, string> = new Map()) {
    this.#sent = sent;
  }

  get isOver(): boolean {
    return this.phase === "completed" || this.phase === "errored";
  }

  add(event: TurnEvent): void {
    if (event.event === "heartbeat" || !("seq" in event.data) || typeof event.data.seq !== "number") return;
    // A stream that is resumed may repeat the last events.
    if (event.data.seq <= this.lastSeq) return;
    this.lastSeq = event.data.seq;
    this.events++;
    const atMs = Date.parse(String(event.data["ts"]));
    this.startedMs ??= atMs;
    const base = () => ({ seq: this.lastSeq, fromMs: atMs, toMs: null, events: 1, stored: [event] });
    switch (event.event) {
      case "thread_lifecycle":
        this.phase = event.data.phase === "started" ? "running" : event.data.phase;
        if (event.data.attachments !== undefined) this.files = event.data.attachments;
        if (this.isOver) this.#end(atMs);
        return;
      case "content_block_start": {
        const { block_index: block, block_type: kind, replaces_from: from } = event.data;
        if (from !== undefined) this.steps = this.steps.filter((step) => !("block" in step) || step.block < from);
        if (kind === "tool_use") return;
        const step = { ...base(), kind, block, text: "" } as TextStep;
        this.#blocks.set(block, step);
        this.#open = step;
        this.steps.push(step);
        return;
      }
      case "text_delta":
      case "thinking_delta":
        if (this.#open === null) return;
        this.#open.text += event.data.text;
        this.#open.events++;
        return;
      case "content_block_stop": {
        const step = this.#blocks.get(event.data.block_index);
        if (step !== undefined) close(step, atMs, event);
        this.#open = null;
        return;
      }
      case "tool_call": {
        const { tool, tool_call_id: id, input, agent } = event.data;
        const step: ToolStep = {
          ...base(),
          kind: "tool",
          id,
          tool,
          input,
          agent,
          output: null,
          error: null,
          files: [],
        };
        this.#calls.set(id, step);
        this.steps.push(step);
        return;
      }
      case "tool_result": {
        const step = this.#calls.get(event.data.tool_call_id);
        if (step === undefined) return;
        const { output, error, attachments = [] } = event.data;
        Object.assign(step, { output, error, files: attachments });
        close(step, atMs, event);
        return;
      }
      case "hitl_request": {
        const { request_id: id, kind, question, options, context } = event.data;
        const allowsText = options.length === 0 || context["allow_free_text"] === true;
        const isPermission = kind === "permission";
        const step: QuestionStep = {
          ...base(),
          kind: "question",
          id,
          isPermission,
          question,
          options,
          allowsText,
          answer: null,
        };
        this.#questions.set(id, step);
        this.steps.push(step);
        return;
      }
      case "hitl_resolved": {
        const step = this.#questions.get(event.data.request_id);
        if (step === undefined) return;
        step.answer = event.data.answer;
        close(step, atMs, event);
        return;
      }
      case "message_taken":
      case "message_queued":
      case "message_removed": {
        this.messages++;
        if (event.event !== "message_taken" || event.data.how !== "steer") return;
        const text = this.#sent.get(event.data.message_id);
        this.lacksText ||= text === undefined;
        this.steps.push({ ...base(), kind: "said", text: text ?? "A message that was sent meanwhile.", toMs: atMs });
        return;
      }
      case "usage":
        this.usage = event.data;
        return;
      case "error":
        this.steps.push({ ...base(), kind: "error", text: `${event.data.message} (${event.data.error})`, toMs: atMs });
        return;
      case "working_memory_update":
        this.steps.push({ ...base(), kind: "note", text: event.data.content, toMs: atMs });
        return;
      case "compaction_event": {
        const { before_tokens: before, after_tokens: after } = event.data;
        const text = `The conversation was compacted from ${before} to ${after} tokens.`;
        this.steps.push({ ...base(), kind: "compaction", text, toMs: atMs });
        return;
      }
      default:
    }
  }

  #end(atMs: number): void {
    this.endedMs = atMs;
    for (const step of this.steps) step.toMs ??= atMs;
  }
}

function close(step: Step, atMs: number, event: TurnEvent): void {
  step.toMs = atMs;
  step.events++;
  step.stored.push(event);
}
