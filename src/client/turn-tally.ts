import type { EngineEventData } from "../contract/engine-events.ts";
import { OrchdError } from "./orchd-error.ts";
import { type TurnEvent, failureOf, seqOf } from "./turn-event.ts";

export interface TurnResult {
  /** The answer: all of its text, a blank line between two blocks. */
  readonly text: string;
  readonly thinking: string;
  /** Of the whole turn; null when no model was called. */
  readonly usage: EngineEventData["usage"] | null;
  readonly taskId: string;
  readonly turnId: string | null;
  /** The `seq` of the last event: where a reader of the task goes on. */
  readonly lastSeq: number | null;
}

interface Block {
  readonly index: number;
  readonly text: string[];
  readonly thinking: string[];
}

/** What a turn says in all is far below it. */
const MAX_KEPT = 64 * 1024 * 1024;

const newBlock = (index: number): Block => ({ index, text: [], thinking: [] });

/** What a turn has come to so far. */
export class TurnTally {
  /** Where what comes next belongs; the first is for what comes outside of any block. */
  #open: Block = newBlock(-1);
  #blocks: readonly Block[] = [this.#open];
  #usage: EngineEventData["usage"] | null = null;
  #lastSeq: number | null = null;
  /** Characters of text and thinking; past the bound no more are kept. */
  #kept = 0;
  /** As the turn's last event told it. */
  failure: OrchdError | null = null;

  take(event: TurnEvent): void {
    this.#lastSeq = seqOf(event) ?? this.#lastSeq;
    if (event.event === "content_block_start") this.#begin(event.data);
    else if (event.event === "text_delta") this.#keep(this.#open.text, event.data.text);
    else if (event.event === "thinking_delta") this.#keep(this.#open.thinking, event.data.text);
    else if (event.event === "usage") {
      const { input_tokens, output_tokens, cache_hit_tokens } = event.data;
      this.#usage = { input_tokens, output_tokens, cache_hit_tokens };
    } else if (event.event === "error") this.failure = failureOf(event.data);
  }

  result(of: { readonly taskId: string; readonly turnId: string | null }): TurnResult {
    if (this.#kept > MAX_KEPT)
      throw new OrchdError({ code: "BAD_ANSWER", message: "the turn's text is longer than 64 MiB" });
    const text = paragraphs(this.#blocks.map((block) => block.text.join("")));
    const thinking = paragraphs(this.#blocks.map((block) => block.thinking.join("")));
    return { text, thinking, usage: this.#usage, lastSeq: this.#lastSeq, ...of };
  }

  #keep(parts: string[], text: string): void {
    this.#kept += text.length;
    if (this.#kept <= MAX_KEPT) parts.push(text);
  }

  /** An answer that a restart cut off is given anew, in place of what had come of it. */
  #begin({ block_index: index, replaces_from: from = Infinity }: EngineEventData["content_block_start"]): void {
    this.#open = newBlock(index);
    this.#blocks = [...this.#blocks.filter((block) => block.index < from), this.#open];
  }
}

/** Texts with a blank line between two; empty ones are left out. */
function paragraphs(texts: readonly string[]): string {
  return texts
    .filter((text) => text !== "")
    .reduce((before, text) => (before === "" ? text : `${before.replace(/\n{1,2}$/, "")}\n\n${text}`), "");
}
