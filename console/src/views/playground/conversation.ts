import type { EngineClient, MessageContent, OrchdError } from "@orchd/client";
import { followTurn } from "../../live/follow-turn.ts";
import { asProblem } from "../../parts/problem.ts";
import { TurnSteps } from "../../live/turn-steps.ts";

/** A message and what the engine made of it. */
export interface Exchange {
  readonly message: string;
  turnId: string | null;
  readonly steps: TurnSteps;
  /** Why it is not read at the moment, or was refused. */
  problem: OrchdError | null;
}

interface Options {
  readonly calls: EngineClient;
  readonly taskId: string;
  readonly changed: () => void;
}

const EARLIER_TURNS = 20;

/** One conversation with an engine. Its turns continue without the page, which reads them again when it comes back. */
export class Conversation {
  exchanges: readonly Exchange[] = [];
  readonly #options: Options;
  readonly #abort = new AbortController();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Reads the last turns, and continues those that were interrupted. */
  async resume(): Promise<void> {
    const { calls, taskId, changed } = this.#options;
    const { items } = await calls.listTurns({ taskId, limit: EARLIER_TURNS, signal: this.#abort.signal });
    const known = new Map(this.exchanges.map((exchange) => [exchange.turnId, exchange]));
    const stored = items
      .toReversed()
      .map(({ turn_id: turnId, message }) => known.get(turnId) ?? newExchange(message, turnId));
    const refused = this.exchanges.filter(({ turnId }) => turnId === null);
    this.exchanges = [...stored, ...refused];
    changed();
    await Promise.all(stored.map((exchange) => this.#read(exchange)));
  }

  async send(content: MessageContent, { text, thinking }: { readonly text: string; readonly thinking: boolean }) {
    const { calls, taskId, changed } = this.#options;
    const exchange = newExchange(text, null);
    this.exchanges = [...this.exchanges, exchange];
    changed();
    const turn = calls.execute({ message: content, taskId, thinking, signal: this.#abort.signal });
    try {
      for await (const event of turn) {
        exchange.turnId = turn.turnId;
        exchange.steps.add(event);
        changed();
      }
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  cancel(): Promise<boolean> {
    return this.#options.calls.cancel(this.#options.taskId);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(exchange: Exchange): Promise<void> {
    const { turnId, steps } = exchange;
    if (turnId === null || steps.isOver) return;
    exchange.problem = null;
    const { calls, changed } = this.#options;
    try {
      await followTurn(calls, { turnId, steps }, { signal: this.#abort.signal, changed });
    } catch (error) {
      this.#failed(exchange, error);
    }
    changed();
  }

  #failed(exchange: Exchange, error: unknown): void {
    // A failed turn has its own error event.
    if (this.#abort.signal.aborted || exchange.steps.isOver) return;
    exchange.problem = asProblem(error);
    this.#options.changed();
  }
}

const newExchange = (message: string, turnId: string | null): Exchange => ({
  message,
  turnId,
  steps: new TurnSteps(),
  problem: null,
});
