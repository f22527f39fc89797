import type { EngineEventData } from "./record-types.ts";
import { OrchdError } from "./orchd-error.ts";
import { type TurnEvent, seqOf, toError } from "./turn-event.ts";

export interface TurnResult {
  /** The answer: the text of all blocks, separated by blank lines. */
  readonly text: string;
  readonly thinking: string;
  /** The result of a turn with an output schema, which the engine has checked; null without one. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** Usage of the whole turn; null if no model was called. */
  readonly usage: EngineEventData["usage"] | null;
  readonly taskId: string;
  readonly turnId: string | null;
  /** The `seq` of the last event: the `after` of the task's next reader. */
  readonly lastSeq: number | null;
}

interface Block {
  readonly index: number;
  readonly text: string[];
  readonly thinking: string[];
}

/** Characters of a result, far above any real one. */
const MAX_LENGTH = 64 * 1024 * 1024;

const newBlock = (index: number): Block => ({ index, text: [], thinking: [] });

/** Collects a turn's result from its events. */
export class TurnResultBuilder {
  /** The current block; the first one collects text outside of any block. */
  #open: Block = newBlock(-1);
  #blocks: readonly Block[] = [this.#open];
  #usage: EngineEventData["usage"] | null = null;
  #output: TurnResult["output"] = null;
  #lastSeq: number | null = null;
  /** Characters of all events. Those above the limit are not stored. */
  #length = 0;
  /** From the turn's `error` event. */
  failure: OrchdError | null = null;

  add(event: TurnEvent): void {
    this.#lastSeq = seqOf(event) ?? this.#lastSeq;
    if (event.event === "content_block_start") this.#startBlock(event.data);
    else if (event.event === "text_delta") this.#append(this.#open.text, event.data.text);
    else if (event.event === "thinking_delta") this.#append(this.#open.thinking, event.data.text);
    else if (event.event === "usage") {
      const { input_tokens, output_tokens, cache_hit_tokens } = event.data;
      this.#usage = { input_tokens, output_tokens, cache_hit_tokens };
    } else if (event.event === "thread_lifecycle") this.#output = event.data.output ?? null;
    else if (event.event === "error") this.failure = toError(event.data);
  }

  build(of: { readonly taskId: string; readonly turnId: string | null }): TurnResult {
    if (this.#length > MAX_LENGTH)
      throw new OrchdError({ code: "BAD_ANSWER", message: "the turn's text is longer than 64 MiB" });
    const text = paragraphs(this.#blocks.map((block) => block.text.join("")));
    const thinking = paragraphs(this.#blocks.map((block) => block.thinking.join("")));
    return { text, thinking, output: this.#output, usage: this.#usage, lastSeq: this.#lastSeq, ...of };
  }

  #append(parts: string[], text: string): void {
    this.#length += text.length;
    if (this.#length <= MAX_LENGTH) parts.push(text);
  }

  /** After a restart the engine sends an interrupted answer again, which replaces its earlier blocks. */
  #startBlock({ block_index: index, replaces_from: from = Infinity }: EngineEventData["content_block_start"]): void {
    this.#open = newBlock(index);
    this.#blocks = [...this.#blocks.filter((block) => block.index < from), this.#open];
  }
}

/** The texts separated by blank lines, without the empty ones. */
function paragraphs(texts: readonly string[]): string {
  return texts
    .filter((text) => text !== "")
    .reduce((before, text) => (before === "" ? text : `${before.replace(/\n{1,2}$/, "")}\n\n${text}`), "");
}
