import { eventId } from "./event-ids.ts";
import { type Moment, type SessionEvent, sessionEvent } from "./session-event.ts";

interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_hit_tokens: number;
}

const NONE: Usage = { input_tokens: 0, output_tokens: 0, cache_hit_tokens: 0 };

/** The model calls of a turn. The engine tells their tokens as the turn's totals so far. */
export class ModelSpans {
  readonly #emit: (event: SessionEvent) => void;
  #calls = 0;
  #isOpen = false;
  #totals = NONE;

  constructor(emit: (event: SessionEvent) => void) {
    this.#emit = emit;
  }

  reset(): void {
    this.#calls = 0;
    this.#isOpen = false;
    this.#totals = NONE;
  }

  begin(moment: Moment): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#emit(sessionEvent(moment, `model${this.#calls}`, "span.model_request_start"));
  }

  end(moment: Moment, totals: Usage): void {
    this.begin(moment);
    const { input_tokens, output_tokens, cache_hit_tokens } = this.#totals;
    this.#totals = totals;
    this.#close(moment, false, {
      input_tokens: totals.input_tokens - input_tokens - (totals.cache_hit_tokens - cache_hit_tokens),
      output_tokens: totals.output_tokens - output_tokens,
      cache_hit_tokens: totals.cache_hit_tokens - cache_hit_tokens,
    });
  }

  /** The turn ends while a call runs. */
  fail(moment: Moment): void {
    if (this.#isOpen) this.#close(moment, true, NONE);
  }

  #close(moment: Moment, isError: boolean, { input_tokens, output_tokens, cache_hit_tokens }: Usage): void {
    const start = `model${this.#calls++}`;
    this.#isOpen = false;
    this.#emit(
      sessionEvent(moment, `${start}.end`, "span.model_request_end", {
        is_error: isError,
        model_request_start_id: eventId(moment.turnId, start),
        model_usage: {
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: cache_hit_tokens,
          input_tokens,
          output_tokens,
        },
      }),
    );
  }
}
