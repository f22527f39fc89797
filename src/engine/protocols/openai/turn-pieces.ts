import type { StoredEvent } from "../../../contract/engine/events.ts";
import { ASK_HUMAN, SUBMIT_RESULT } from "../../../contract/engine/tool-names.ts";
import { type EventRow, type Events, eventOf } from "../engine-calls.ts";

/** A call of a tool by the turn's own agent, or one of a delegated agent that the client runs. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly isClients: boolean;
}

/** A question or a permission prompt. */
export interface Ask {
  readonly requestId: string;
  readonly kind: "question" | "permission" | "login";
  readonly question: string;
  readonly options: readonly string[];
  readonly allowsFreeText: boolean;
  /** Of a permission prompt: what is to be allowed. */
  readonly tool: string | null;
  readonly input: string;
  readonly callId: string | null;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export type AnswerEnd =
  /** The turn waits for the client: for an answer, or for results of its tools. */
  | { readonly kind: "waits" }
  | { readonly kind: "completed"; readonly output: Readonly<Record<string, unknown>> | null }
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>> | undefined;
    };

export type Piece = { readonly seq: number } & (
  | { readonly kind: "text" | "reasoning"; readonly block: number; readonly text: string }
  | { readonly kind: "block_end"; readonly block: number }
  /** A restart cut the blocks from this one on off. What follows replaces them. */
  | { readonly kind: "replaced"; readonly from: number }
  | { readonly kind: "call"; readonly call: Call; readonly block: number }
  | {
      readonly kind: "result";
      readonly call: Call;
      readonly block: number;
      readonly output: unknown;
      readonly error: string | null;
      /** The permission prompt that was about the call. */
      readonly askedBy: string | null;
    }
  | { readonly kind: "ask"; readonly ask: Ask }
  | { readonly kind: "end"; readonly end: AnswerEnd }
);

type EventData<Name extends StoredEvent["event"]> = Extract<StoredEvent, { event: Name }>["data"];

const NO_TOKENS: Tokens = { input: 0, output: 0, cached: 0 };
const NONE: readonly Piece[] = [];
/** Their calls show in what they lead to: a question and the answer. */
const HIDDEN: ReadonlySet<string> = new Set([ASK_HUMAN, SUBMIT_RESULT]);

/**
 * Reads the events of a turn as one answer of a protocol in which an answer ends where the turn waits for the client. The
 * end follows from the events alone, so that every reading of them ends at the same one. Events up to `afterSeq` belong to
 * the answers before.
 */
export class AnswerReader {
  end: AnswerEnd | null = null;
  /** Of the last event that was read. */
  seq = 0;
  turnId: string | null = null;
  startedAt: number | null = null;
  /** The first event of this answer. */
  firstSeq: number | null = null;
  #afterSeq: number;
  #block = 0;
  /** Blocks of calls whose `tool_call` has not come. */
  #unannounced = 0;
  #isStepOver = false;
  readonly #calls = new Map<string, Call>();
  readonly #running = new Set<string>();
  /** Open calls that the client runs, and open questions. Of those of an earlier answer `isShown` is false. */
  readonly #clients = new Map<string, { readonly call: Call; isShown: boolean }>();
  readonly #asks = new Map<string, Ask>();
  readonly #askedBy = new Map<string, string>();
  #before = NO_TOKENS;
  #total = NO_TOKENS;

  constructor({ afterSeq = 0 }: { readonly afterSeq?: number } = {}) {
    this.#afterSeq = afterSeq;
  }

  /** Tokens of this answer. */
  get tokens(): Tokens {
    const { input, output, cached } = this.#total;
    const before = this.#before;
    return { input: input - before.input, output: output - before.output, cached: cached - before.cached };
  }

  /** Begins the answer after this one. */
  next(): void {
    this.end = null;
    this.firstSeq = null;
    this.#afterSeq = this.seq;
    for (const open of this.#clients.values()) open.isShown = false;
    this.#before = this.#total;
  }

  read(row: EventRow): readonly Piece[] {
    this.seq = row.seq;
    this.turnId ??= row.turnId;
    this.startedAt ??= row.ts;
    if (row.seq > this.#afterSeq) this.firstSeq ??= row.seq;
    const pieces = this.#take(row.seq, eventOf(row));
    return row.seq > this.#afterSeq ? pieces : NONE;
  }

  #take(seq: number, { event, data }: StoredEvent): readonly Piece[] {
    switch (event) {
      case "text_delta":
        return [{ seq, kind: "text", block: this.#block, text: data.text }];
      case "thinking_delta":
        return [{ seq, kind: "reasoning", block: this.#block, text: data.text }];
      case "content_block_start":
        return this.#startBlock(seq, data);
      case "content_block_stop":
        return data.block_type === "tool_use" ? NONE : [{ seq, kind: "block_end", block: data.block_index }];
      case "tool_call":
        return this.#startCall(seq, data);
      case "tool_result":
        return this.#endCall(seq, data);
      case "hitl_request": {
        const ask = askOf(data);
        this.#asks.set(ask.requestId, ask);
        if (ask.callId !== null) this.#askedBy.set(ask.callId, ask.requestId);
        return [{ seq, kind: "ask", ask }, ...this.#wait(seq)];
      }
      case "hitl_resolved":
        this.#asks.delete(data.request_id);
        return this.#waitAgain(seq);
      case "usage": {
        this.#isStepOver = true;
        this.#total = { input: data.input_tokens, output: data.output_tokens, cached: data.cache_hit_tokens };
        if (seq <= this.#afterSeq) this.#before = this.#total;
        return NONE;
      }
      case "thread_lifecycle": {
        if (data.phase === "completed") return this.#finish(seq, { kind: "completed", output: data.output ?? null });
        return NONE;
      }
      case "error":
        return this.#finish(seq, { kind: "failed", code: data.error, message: data.message, details: data.details });
      default:
        return NONE;
    }
  }

  #startBlock(seq: number, data: EventData<"content_block_start">): readonly Piece[] {
    this.#block = data.block_index;
    if (this.#isStepOver || data.replaces_from !== undefined) this.#unannounced = 0;
    this.#isStepOver = false;
    if (data.block_type === "tool_use") this.#unannounced++;
    return data.replaces_from === undefined ? NONE : [{ seq, kind: "replaced", from: data.replaces_from }];
  }

  #startCall(seq: number, data: EventData<"tool_call">): readonly Piece[] {
    const isClients = data.runs === "client";
    const isOwn = data.parent_tool_call_id === undefined;
    // Blocks of delegated agents come without their names.
    this.#unannounced--;
    if (!isOwn && !isClients) return NONE;
    const call = { id: data.tool_call_id, tool: data.tool, input: data.input, isClients };
    this.#calls.set(call.id, call);
    if (isClients) this.#clients.set(call.id, { call, isShown: seq > this.#afterSeq });
    else if (data.tool !== ASK_HUMAN) this.#running.add(call.id);
    const shown: readonly Piece[] = HIDDEN.has(call.tool) ? NONE : [{ seq, kind: "call", call, block: this.#block }];
    // A delegated agent waits, and with it the call that runs it.
    if (!isClients) return shown;
    return [...shown, ...(!isOwn || this.#isStalled() ? this.#wait(seq) : NONE)];
  }

  #endCall(seq: number, data: EventData<"tool_result">): readonly Piece[] {
    const call = this.#calls.get(data.tool_call_id);
    if (call === undefined) return NONE;
    this.#running.delete(call.id);
    this.#clients.delete(call.id);
    const { output, error } = data;
    const askedBy = this.#askedBy.get(call.id) ?? null;
    const shown: readonly Piece[] =
      call.isClients || HIDDEN.has(call.tool)
        ? NONE
        : [{ seq, kind: "result", call, output, error, block: this.#block, askedBy }];
    // The client has given the results of its calls together.
    const isOneOfSeveral = call.isClients && [...this.#clients.values()].some(({ isShown }) => !isShown);
    return isOneOfSeveral ? shown : [...shown, ...this.#waitAgain(seq)];
  }

  /** Nothing but the client can go on. */
  #isStalled(): boolean {
    const asking = new Set([...this.#asks.values()].map(({ callId }) => callId));
    return this.#unannounced <= 0 && [...this.#running].every((id) => asking.has(id));
  }

  /** The answer ends with what is still open, of which an earlier answer has told. */
  #waitAgain(seq: number): readonly Piece[] {
    if ((this.#clients.size === 0 && this.#asks.size === 0) || !this.#isStalled()) return NONE;
    return [
      ...[...this.#clients.values()].flatMap(({ call, isShown }) =>
        isShown ? [] : [{ seq, kind: "call", call, block: this.#block } as const],
      ),
      ...[...this.#asks.values()].map((ask) => ({ seq, kind: "ask", ask }) as const),
      ...this.#wait(seq),
    ];
  }

  #wait(seq: number): readonly Piece[] {
    return this.#finish(seq, { kind: "waits" });
  }

  #finish(seq: number, end: AnswerEnd): readonly Piece[] {
    if (seq > this.#afterSeq) this.end = end;
    return [{ seq, kind: "end", end }];
  }
}

function askOf({ request_id: requestId, kind, question, options, context }: EventData<"hitl_request">): Ask {
  const text = (name: string): string | null => {
    const value = context[name];
    return typeof value === "string" ? value : null;
  };
  return {
    requestId,
    kind,
    question,
    options,
    allowsFreeText: context["allow_free_text"] === true,
    tool: text("tool"),
    input: text("input") ?? "{}",
    callId: text("tool_call_id"),
  };
}

/** The pieces of an answer, batch by batch, to its end or to the last event that is stored. */
export async function* piecesOf(events: Events, reader: AnswerReader): AsyncGenerator<readonly Piece[]> {
  for await (const rows of events) {
    const pieces: Piece[] = [];
    for (const row of rows) {
      for (const piece of reader.read(row)) pieces.push(piece);
      if (reader.end !== null) break;
    }
    yield pieces;
    if (reader.end !== null) return;
  }
}
