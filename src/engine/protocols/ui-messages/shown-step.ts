import type { Chunk } from "./chunks.ts";
import { type ShownCall, callChunks } from "./shown-call.ts";

/** A block of text or reasoning. */
export interface ShownBlock {
  readonly type: "text" | "reasoning";
  readonly index: number;
  readonly id: string;
  text: string;
  isOpen: boolean;
}

/** What the client has of one answer of the model: blocks and calls. */
export class ShownStep {
  #blocks: ShownBlock[] = [];
  #calls: ShownCall[] = [];
  /** Whether the model call has ended. */
  isWritten = false;

  /** Whether the next text begins another step. */
  get isOver(): boolean {
    return this.isWritten || this.#calls.some(({ outcome }) => outcome !== undefined);
  }

  /** Whether a call that is new begins another step. */
  get isAnswered(): boolean {
    return this.isWritten && this.#calls.every(({ outcome }) => outcome !== undefined);
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  get openBlocks(): readonly ShownBlock[] {
    return this.#blocks.filter(({ isOpen }) => isOpen);
  }

  add(block: ShownBlock): void {
    this.#blocks.push(block);
  }

  addCall(call: ShownCall): void {
    if (!this.#calls.includes(call)) this.#calls.push(call);
  }

  /** The calls that are shown without a result or a decision. */
  undecided(but: ShownCall): readonly ShownCall[] {
    return this.#calls.filter((call) => call !== but && call.isShown && !call.outcome && !call.approval);
  }

  /** Removes blocks and calls from an index of a block on. Returns the calls, or null when there is nothing to remove. */
  cutFrom(index: number): readonly ShownCall[] | null {
    const calls = this.#calls.filter(({ block }) => block >= index);
    if (calls.length === 0 && !this.#blocks.some((block) => block.index >= index)) return null;
    this.#blocks = this.#blocks.filter((block) => block.index < index);
    this.#calls = this.#calls.filter(({ block }) => block < index);
    this.isWritten = false;
    return calls;
  }

  /** Whether the client has answered a call of it. */
  get hasAnswers(): boolean {
    return this.#calls.some(({ isForClient, outcome }) => isForClient && outcome !== undefined);
  }

  /** The chunks that show all of it again, without the calls that are not shown. */
  chunks(): readonly Chunk[] {
    // The client would run an answered call again, and send the message while another one is open.
    for (const call of this.#calls) if (call.outcome !== undefined) call.isForClient = false;
    return [
      ...this.#blocks.flatMap(({ type, id, text, isOpen }) => [
        { type: `${type}-start`, id },
        { type: `${type}-delta`, id, delta: text },
        ...(isOpen ? [] : [{ type: `${type}-end`, id }]),
      ]),
      ...this.#calls.flatMap((call) => (call.isShown ? callChunks(call) : [])),
    ];
  }
}
