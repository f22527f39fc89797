import { dataFrame } from "../sse-writer.ts";
import { askText } from "./ask.ts";
import type { AnswerEnd, Ask, Call, Piece, Tokens } from "./turn-pieces.ts";

type FinishReason = "stop" | "tool_calls" | "length";
type Failure = Extract<AnswerEnd, { kind: "failed" }>;

interface Delta {
  readonly role?: "assistant";
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly object[];
}

interface Text {
  readonly block: number;
  text: string;
}

/** The block of a text that is no block of the turn. None is cut off. */
const OWN = -1;

/** Adds to the last text of its block, or a new text. Returns what a stream sends for it. */
function add(texts: Text[], { text, block }: Pick<Text, "text" | "block">): string {
  const last = texts.at(-1);
  if (last?.block === block && block !== OWN) {
    last.text += text;
    return text;
  }
  texts.push({ block, text });
  return last === undefined ? text : `\n\n${text}`;
}

/** An answer in the form of a chat completion, as a whole and as the deltas that make it. */
export class ChatAnswer {
  finish: FinishReason | null = null;
  failure: Failure | null = null;
  readonly #isStructured: boolean;
  readonly #showsReasoning: boolean;
  #texts: Text[] = [];
  #thoughts: Text[] = [];
  readonly #calls: object[] = [];

  constructor({
    isStructured,
    showsReasoning,
  }: {
    /** The content is the result alone, without the texts on the way to it. */
    readonly isStructured: boolean;
    readonly showsReasoning: boolean;
  }) {
    this.#isStructured = isStructured;
    this.#showsReasoning = showsReasoning;
  }

  /** Whether the client was given anything. */
  get isEmpty(): boolean {
    return this.#texts.length === 0 && this.#calls.length === 0;
  }

  get message(): object {
    const content = this.#texts.map(({ text }) => text).join("\n\n");
    const reasoning = this.#thoughts.map(({ text }) => text).join("\n\n");
    return {
      role: "assistant",
      content: content === "" && this.#calls.length > 0 ? null : content,
      refusal: null,
      ...(reasoning !== "" && { reasoning_content: reasoning }),
      ...(this.#calls.length > 0 && { tool_calls: this.#calls.map((call) => ({ ...call, index: undefined })) }),
    };
  }

  take(piece: Piece): Delta | null {
    switch (piece.kind) {
      case "text":
        return this.#isStructured ? null : { content: add(this.#texts, piece) };
      case "reasoning":
        return this.#showsReasoning ? { reasoning_content: add(this.#thoughts, piece) } : null;
      case "replaced":
        // A stream cannot take back what it has sent: there the new text follows the old one.
        this.#texts = this.#texts.filter(({ block }) => block < piece.from);
        this.#thoughts = this.#thoughts.filter(({ block }) => block < piece.from);
        return null;
      case "call":
        return piece.call.isClients ? this.#call(piece.call) : null;
      case "ask":
        return this.ask(piece.ask);
      case "end":
        return this.#end(piece.end);
      default:
        return null;
    }
  }

  ask(ask: Ask): Delta {
    this.finish = "stop";
    return { content: add(this.#texts, { text: askText(ask), block: OWN }) };
  }

  #call({ id, tool, input }: Call): Delta {
    const call = {
      index: this.#calls.length,
      id,
      type: "function",
      function: { name: tool, arguments: JSON.stringify(input) },
    };
    this.#calls.push(call);
    return { tool_calls: [call] };
  }

  #end(end: AnswerEnd): Delta | null {
    if (end.kind === "failed") {
      if (end.code === "STEP_LIMIT") this.finish = "length";
      else this.failure = end;
      return null;
    }
    this.finish = this.#calls.length > 0 && end.kind === "waits" ? "tool_calls" : "stop";
    if (end.kind === "waits" || end.output === null) return null;
    return { content: add(this.#texts, { text: JSON.stringify(end.output), block: OWN }) };
  }
}

export interface CompletionHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export const chatUsage = ({ input, output, cached }: Tokens) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
});

export const completion = (head: CompletionHead, answer: ChatAnswer, tokens: Tokens): object => ({
  id: head.id,
  object: "chat.completion",
  created: head.created,
  model: head.model,
  choices: [{ index: 0, message: answer.message, logprobs: null, finish_reason: answer.finish }],
  usage: chatUsage(tokens),
});

/** Frames of a streamed completion. */
export class ChunkFrames {
  readonly #head: string;
  readonly #tail: string;

  /** With usage, each chunk but the one that tells it has `usage: null`. */
  constructor({ id, created, model }: CompletionHead, { hasUsage }: { readonly hasUsage: boolean }) {
    const head = JSON.stringify({ id, object: "chat.completion.chunk", created, model });
    this.#head = `data: ${head.slice(0, -1)},"choices":[`;
    this.#tail = hasUsage ? `],"usage":null}\n\n` : "]}\n\n";
  }

  delta(delta: Delta, finish: FinishReason | null = null): string {
    const reason = finish === null ? "null" : `"${finish}"`;
    return `${this.#head}{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${reason}}${this.#tail}`;
  }

  usage(tokens: Tokens): string {
    return `${this.#head}],"usage":${JSON.stringify(chatUsage(tokens))}}\n\n`;
  }

  static readonly done = "data: [DONE]\n\n";
  static failed(error: object): string {
    return dataFrame(error);
  }
}
