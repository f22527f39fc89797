import type { EngineErrorCode } from "../../contract/engine-errors.ts";
import type { TurnTable } from "../store/turns.ts";
import type { EventJournal, JournalEvent } from "./event-journal.ts";
import { TurnTally } from "./turn-tally.ts";

export type Ending =
  | { readonly kind: "completed" }
  | {
      readonly kind: "errored";
      readonly code: EngineErrorCode;
      readonly message: string;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
    };

export interface LifecycleParts {
  readonly journal: EventJournal;
  readonly turns: TurnTable;
  readonly taskId: string;
  readonly turnId: string;
}

/**
 * The events of one turn between its two ends. It opens with `started`; it closes once, with `completed`, or with
 * `errored` and behind it `error`; whatever comes later is dropped, for nothing may follow the end.
 */
export class TurnLifecycle {
  readonly #parts: LifecycleParts;
  readonly tally: TurnTally;
  /** The first block of an answer that a restart cut off, until the answer in its place begins. */
  #replacesFrom: number | null = null;
  #over = false;

  constructor(parts: LifecycleParts, tally = new TurnTally()) {
    this.#parts = parts;
    this.tally = tally;
  }

  /** Throws when it, and what belongs to it, cannot be stored. */
  start(alongside: () => void): void {
    this.#append(this.#lifecycle("started"));
    this.#parts.journal.begin(this.#parts.turnId, alongside);
  }

  /**
   * Goes on where a process before this one was cut off. What that one had told of an answer it could not store is
   * closed: its block, and its calls, which were never run. `blocks`: how many belong to stored answers.
   */
  resume({ blocks, isStored }: { readonly blocks: number; isStored: (callId: string) => boolean }): void {
    const { openBlock, openCalls, nextBlock } = this.tally;
    if (openBlock !== null) this.emit({ event: "content_block_stop", data: openBlock });
    for (const [id, tool] of openCalls) {
      if (!isStored(id)) this.#close(id, tool, "the engine restarted before the call began; the model is asked again");
    }
    if (nextBlock > blocks) this.#replacesFrom = blocks;
  }

  emit(event: JournalEvent): void {
    if (this.#over) return;
    this.tally.count(event);
    this.#append(event.event === "content_block_start" ? this.#replacing(event) : event);
  }

  /** Tells nothing more, and no end either: the turn goes on in another process. */
  park(): void {
    this.#over = true;
  }

  /** Stores the end, frees the slot, and lets the last events out: in that order, in one go, as soon as it can be stored. */
  end(
    ending: Ending,
    { alongside, freeSlot }: { readonly alongside: () => void; readonly freeSlot: () => void },
  ): void {
    if (this.#over) return;
    const { openBlock, openCalls } = this.tally;
    if (openBlock !== null) this.emit({ event: "content_block_stop", data: openBlock });
    for (const [id, tool] of openCalls) this.#close(id, tool, "the turn ended before the call did");
    this.#over = true;
    if (ending.kind === "completed") {
      this.#append(this.#lifecycle("completed"));
    } else {
      const { code, message, details } = ending;
      this.#append(this.#lifecycle("errored", { error: code, message }));
      this.#append({ event: "error", data: { error: code, message, ...(details && { details }) } });
    }
    const errorCode = ending.kind === "errored" ? ending.code : null;
    const { journal, turns, turnId } = this.#parts;
    journal.end({
      alongside: () => {
        alongside();
        turns.end(turnId, { errorCode, endedAt: Date.now() });
      },
      between: freeSlot,
    });
  }

  #replacing(event: Extract<JournalEvent, { event: "content_block_start" }>): JournalEvent {
    const from = this.#replacesFrom;
    this.#replacesFrom = null;
    return from === null ? event : { ...event, data: { ...event.data, replaces_from: from } };
  }

  #close(id: string, tool: string, error: string): void {
    this.emit({ event: "tool_result", data: { tool, tool_call_id: id, output: null, error } });
  }

  #append(event: JournalEvent): void {
    this.#parts.journal.append(this.#parts.taskId, this.#parts.turnId, event);
  }

  #lifecycle(phase: "started" | "completed" | "errored", why: { error?: string; message?: string } = {}): JournalEvent {
    const { taskId, turnId } = this.#parts;
    // The journal sets the timestamp to the event's own stamp.
    return { event: "thread_lifecycle", data: { phase, task_id: taskId, turn_id: turnId, timestamp: "", ...why } };
  }
}
