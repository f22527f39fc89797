import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import type { EngineErrorCode } from "../../contract/engine/errors.ts";
import type { EngineEventData } from "../../contract/engine/events.ts";
import type { ObservedTurn } from "../telemetry/engine-telemetry.ts";
import type { TaskTable } from "../store/tasks.ts";
import type { TurnTable } from "../store/turns.ts";
import type { EventJournal, JournalEvent } from "./event-journal.ts";
import { type OpenCall, TurnTally } from "./turn-tally.ts";

export type Ending =
  | { readonly kind: "completed"; readonly output?: Readonly<Record<string, unknown>> }
  | {
      readonly kind: "errored";
      readonly code: EngineErrorCode;
      readonly message: string;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
    };

type LifecycleDetails = Pick<EngineEventData["thread_lifecycle"], "attachments" | "output" | "error" | "message">;

export interface LifecycleParts {
  readonly journal: EventJournal;
  readonly tasks: TaskTable;
  readonly turns: TurnTable;
  readonly taskId: string;
  readonly turnId: string;
  readonly startedAt: number;
  readonly observed: ObservedTurn;
  readonly meter: TurnMeter;
}

/** Counts ended turns. Runs in the transaction that stores the end. */
export interface TurnMeter {
  turnEnded(turn: {
    readonly startedAt: number;
    readonly endedAt: number;
    readonly toolCalls: number;
    readonly failed: boolean;
  }): void;
}

/**
 * The events of one turn. It opens with `started` and ends once: with `completed`, or with `errored` followed by `error`.
 * Later events are dropped.
 */
export class TurnLifecycle {
  readonly #parts: LifecycleParts;
  readonly tally: TurnTally;
  /** First block of an answer that a restart interrupted, until its replacement starts. */
  #replacesFrom: number | null = null;
  #over = false;

  constructor(parts: LifecycleParts, tally = new TurnTally()) {
    this.#parts = parts;
    this.tally = tally;
  }

  /**
   * Stores the first event, which names the files of the message, the `next` ones and `alongside` atomically; throws when
   * it cannot.
   */
  start(attachments: readonly AttachmentRecord[], alongside: () => void, next: readonly JournalEvent[] = []): void {
    this.#append(this.#lifecycle("started", attachments.length > 0 ? { attachments } : {}));
    for (const event of next) this.#append(event);
    this.#parts.journal.startTurn(this.#parts.turnId, alongside);
  }

  /**
   * Resumes a turn of an earlier process. Closes the open block and the calls of an answer that was not stored; those
   * calls never ran. `blocks`: number of content blocks of stored answers.
   */
  resume({ blocks, isStored }: { readonly blocks: number; isStored: (callId: string) => boolean }): void {
    const { openBlock, openCalls, nextBlock } = this.tally;
    if (openBlock !== null) this.emit({ event: "content_block_stop", data: openBlock });
    for (const [id, call] of openCalls) {
      if (!isStored(id)) this.#close(call, "the engine restarted before the call started; the model is called again");
    }
    if (nextBlock > blocks) this.#replacesFrom = blocks;
  }

  emit(event: JournalEvent): void {
    if (this.#over) return;
    this.tally.count(event);
    this.#append(event.event === "content_block_start" ? this.#replacing(event) : event);
  }

  /** Closes the open block and the calls of an answer that was cut off; those calls do not run. */
  cutOff(why: string): void {
    const { openBlock, openCalls } = this.tally;
    if (openBlock !== null) this.emit({ event: "content_block_stop", data: openBlock });
    for (const call of openCalls.values()) this.#close(call, why);
  }

  /** Drops all further events, the end included: the turn resumes in another process. */
  park(): void {
    this.#over = true;
  }

  /** I4: stores the end, frees the slot, then delivers the last events. */
  end(
    ending: Ending,
    { alongside, freeSlot }: { readonly alongside: () => void; readonly freeSlot: () => void },
  ): void {
    if (this.#over) return;
    this.cutOff("the turn ended before the call did");
    this.#over = true;
    const output = ending.kind === "completed" ? ending.output : undefined;
    if (ending.kind === "completed") {
      this.#append(this.#lifecycle("completed", output && { output }));
    } else {
      const { code, message, details } = ending;
      this.#append(this.#lifecycle("errored", { error: code, message }));
      this.#append({ event: "error", data: { error: code, message, ...(details && { details }) } });
    }
    const errorCode = ending.kind === "errored" ? ending.code : null;
    const { journal, tasks, turns, taskId, turnId, startedAt, observed, meter } = this.#parts;
    const { usage } = this.tally;
    observed.end(errorCode, usage);
    journal.endTurn({
      alongside: () => {
        alongside();
        const endedAt = Date.now();
        turns.end(turnId, { errorCode, endedAt, usage, output: output ?? null });
        tasks.turnEnded(taskId, { at: endedAt, usage });
        meter.turnEnded({ startedAt, endedAt, toolCalls: this.tally.callIds.size, failed: errorCode !== null });
      },
      between: freeSlot,
    });
  }

  #replacing(event: Extract<JournalEvent, { event: "content_block_start" }>): JournalEvent {
    const from = this.#replacesFrom;
    this.#replacesFrom = null;
    return from === null ? event : { ...event, data: { ...event.data, replaces_from: from } };
  }

  #close(call: OpenCall, error: string): void {
    this.emit({ event: "tool_result", data: { ...call, output: null, error } });
  }

  #append(event: JournalEvent): void {
    this.#parts.journal.append(this.#parts.taskId, this.#parts.turnId, event);
  }

  #lifecycle(phase: "started" | "completed" | "errored", more: LifecycleDetails = {}): JournalEvent {
    // The journal sets `timestamp` to the event's `ts`.
    return { event: "thread_lifecycle", data: { phase, timestamp: "", ...more } };
  }
}
