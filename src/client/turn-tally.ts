import type { EngineEventData } from "../contract/engine-events.ts";
import type { OrchdError } from "./orchd-error.ts";
import { type TurnEvent, failureOf, seqOf } from "./turn-event.ts";

export interface TurnResult {
  /** The answer: all of its text. */
  readonly text: string;
  readonly thinking: string;
  /** Of the whole turn; null when no model was called. */
  readonly usage: EngineEventData["usage"] | null;
  readonly taskId: string;
  readonly turnId: string | null;
  /** The `seq` of the last event: where a reader of the task goes on. */
  readonly lastSeq: number | null;
}

/** What a turn has come to so far. */
export class TurnTally {
  readonly #text: string[] = [];
  readonly #thinking: string[] = [];
  #usage: EngineEventData["usage"] | null = null;
  #lastSeq: number | null = null;
  /** As the turn's last event told it. */
  failure: OrchdError | null = null;

  take(event: TurnEvent): void {
    this.#lastSeq = seqOf(event) ?? this.#lastSeq;
    if (event.event === "text_delta") this.#text.push(event.data.text);
    else if (event.event === "thinking_delta") this.#thinking.push(event.data.text);
    else if (event.event === "usage") {
      const { input_tokens, output_tokens, cache_hit_tokens } = event.data;
      this.#usage = { input_tokens, output_tokens, cache_hit_tokens };
    } else if (event.event === "error") this.failure = failureOf(event.data);
  }

  get text(): string {
    return this.#text.join("");
  }

  result(of: { readonly taskId: string; readonly turnId: string | null }): TurnResult {
    const thinking = this.#thinking.join("");
    return { text: this.text, thinking, usage: this.#usage, lastSeq: this.#lastSeq, ...of };
  }
}
