import type { BlockType } from "../../contract/engine-events.ts";
import type { EngineErrorCode } from "../../contract/engine-errors.ts";
import type { TurnTable } from "../store/turns.ts";
import type { EventJournal, JournalEvent } from "./event-journal.ts";

export type Outcome =
  | { readonly kind: "completed" }
  | {
      readonly kind: "errored";
      readonly code: EngineErrorCode;
      readonly message: string;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
    };

/**
 * The events of one turn between its two ends. It opens with `started`; it closes once, with `completed`, or with
 * `errored` and behind it `error`; whatever comes later is dropped, for nothing may follow the end.
 */
export class TurnLifecycle {
  readonly #journal: EventJournal;
  readonly #turns: TurnTable;
  readonly #taskId: string;
  readonly #turnId: string;
  /** Calls told without their result, and the block that has not been closed: the end closes both. */
  readonly #openCalls = new Map<string, string>();
  #openBlock: { readonly block_index: number; readonly block_type: BlockType } | null = null;
  #ended = false;

  constructor({
    journal,
    turns,
    taskId,
    turnId,
  }: {
    journal: EventJournal;
    turns: TurnTable;
    taskId: string;
    turnId: string;
  }) {
    this.#journal = journal;
    this.#turns = turns;
    this.#taskId = taskId;
    this.#turnId = turnId;
  }

  /** Throws when it, and what belongs to it, cannot be stored. */
  start(alongside: () => void): void {
    this.#append(this.#lifecycle("started"));
    this.#journal.begin(this.#turnId, alongside);
  }

  emit(event: JournalEvent): void {
    if (this.#ended) return;
    this.observe(event);
    this.#append(event);
  }

  /** Takes note of an event that has been told already: by this turn, or by the process that had it before. */
  observe({ event, data }: JournalEvent): void {
    if (event === "tool_call") this.#openCalls.set(data.tool_call_id, data.tool);
    if (event === "tool_result") this.#openCalls.delete(data.tool_call_id);
    if (event === "content_block_start")
      this.#openBlock = { block_index: data.block_index, block_type: data.block_type };
    if (event === "content_block_stop") this.#openBlock = null;
  }

  /** Stores the end, frees the slot, and lets the last events out: in that order, in one go, as soon as it can be stored. */
  end(outcome: Outcome, freeSlot: () => void): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#openBlock !== null) this.#append({ event: "content_block_stop", data: this.#openBlock });
    for (const [id, tool] of this.#openCalls) {
      this.#append({
        event: "tool_result",
        data: { tool, tool_call_id: id, output: null, error: "the turn ended before the call did" },
      });
    }
    if (outcome.kind === "completed") {
      this.#append(this.#lifecycle("completed"));
    } else {
      const { code, message, details } = outcome;
      this.#append(this.#lifecycle("errored", { error: code, message }));
      this.#append({ event: "error", data: { error: code, message, ...(details && { details }) } });
    }
    const errorCode = outcome.kind === "errored" ? outcome.code : null;
    this.#journal.end({
      alongside: () => this.#turns.end(this.#turnId, { errorCode, endedAt: Date.now() }),
      between: freeSlot,
    });
  }

  #append(event: JournalEvent): void {
    this.#journal.append(this.#taskId, this.#turnId, event);
  }

  #lifecycle(phase: "started" | "completed" | "errored", why: { error?: string; message?: string } = {}): JournalEvent {
    // The journal sets the timestamp to the event's own stamp.
    return {
      event: "thread_lifecycle",
      data: { phase, task_id: this.#taskId, turn_id: this.#turnId, timestamp: "", ...why },
    };
  }
}
