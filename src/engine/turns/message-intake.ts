import type { Logger } from "../../shared/logger.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { UserContent } from "../attachments/user-content.ts";
import type { TurnOrigin } from "../telemetry/engine-telemetry.ts";
import { type Inbox, type NewMessage, taken } from "./inbox.ts";
import type { TaskSlots } from "./task-slots.ts";
import type { TurnStart } from "./turn.ts";
import type { StartedTurn, TurnExtras, TurnRunner } from "./turn-runner.ts";

/** A message with an id, whose turn starts now or later. */
export interface SentMessage extends NewMessage {
  /** Whether it cuts off the model's answer in progress. */
  readonly interrupt: boolean;
}

/** What a message led to. */
export type Sent =
  | { readonly kind: "started"; readonly turn: StartedTurn }
  | { readonly kind: "waiting"; readonly position: number };

/** Belongs to the turn of a message, whenever it starts. */
interface SendOptions {
  /** Stored in the transaction of a turn that starts at once. */
  readonly alongside: (turnId: string) => void;
  readonly from: Extract<TurnOrigin, { kind: "call" }>;
}

/** The options of a waiting message's turn, and the trace of the call that sent it. */
type WaitingOptions = Omit<TurnStart, "task_id" | "message"> & {
  readonly trace?: { readonly caller?: string | undefined; readonly state?: string | undefined };
};

/** How soon a turn that could not be stored is tried again. */
const RETRY_MS = 1000;
/** The longest time of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface IntakeParts {
  readonly runner: TurnRunner;
  readonly inbox: Inbox;
  readonly slots: Pick<TaskSlots, "get">;
  readonly logger: Logger;
}

/**
 * Where messages become turns: at once when their task is idle, or later, the oldest first. A turn that is refused is
 * tried again by what ends the refusal, and never in a loop.
 */
export class MessageIntake {
  readonly #parts: IntakeParts;
  /** Tries again what the budget or the store refused. */
  #retry: NodeJS.Timeout | undefined;
  #isStartOverdue = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Starts a turn with a message that has no id and does not wait. Throws as `TurnRunner.start` does. */
  start(request: TurnStart, options: SendOptions): StartedTurn {
    // What waits comes first.
    this.#startNext(request.task_id);
    return this.#parts.runner.start(request, options);
  }

  /**
   * Starts a turn with a message, or lets it wait while its task has one. What refuses a turn refuses the message too,
   * except that a draining engine lets it wait for a turn in flight. Throws `INBOX_FULL`.
   */
  send(request: TurnStart, message: SentMessage, { alongside, from }: SendOptions): Sent {
    const { runner, inbox, slots } = this.#parts;
    const { taskId, whenBusy } = message;
    this.assertOpenTo(message);
    this.#startNext(taskId);
    const holder = slots.get(taskId);
    if (whenBusy === "reject" || (holder === undefined && inbox.next(taskId) === null)) {
      const store = (turnId: string) => {
        inbox.startedBy(message, turnId);
        alongside(turnId);
      };
      const turn = runner.start(request, { alongside: store, from, next: [taken(message, "turn")] });
      return { kind: "started", turn };
    }
    runner.assertAllowed(request);
    const { task_id: _, message: content, ...rest } = request;
    const { caller, state } = from;
    const options: WaitingOptions = { ...rest, ...(caller !== undefined && { trace: { caller, state } }) };
    const position = inbox.add(message, { content, options: { ...options } });
    if (whenBusy === "steer" && message.interrupt) holder?.interrupt();
    return { kind: "waiting", position };
  }

  /** Throws the errors of `send`, for a caller that has to write files first. */
  assertOpenTo({ taskId, whenBusy }: Pick<SentMessage, "taskId" | "whenBusy">): void {
    const { runner, slots } = this.#parts;
    if (whenBusy === "reject") runner.assertStartable(taskId);
    else runner.assertOpen({ evenDraining: slots.get(taskId) !== undefined });
  }

  /** To be called when a task's turn has ended. The next one starts after the delivery of its last events. */
  freed(taskId: string): void {
    queueMicrotask(() => this.#startNext(taskId));
  }

  /** Starts what can start now of what waits. To be called when a refusal has ended. */
  startWaiting(): void {
    for (const taskId of this.#parts.inbox.tasks()) this.#startNext(taskId);
  }

  /** Whether a message waits only because its turn could not be stored. */
  get isStartOverdue(): boolean {
    return this.#isStartOverdue;
  }

  /** Starts a turn with the task's oldest message, unless none waits or a turn is refused. Never throws. */
  #startNext(taskId: string): void {
    const { inbox, slots, logger } = this.#parts;
    if (slots.get(taskId) !== undefined) return;
    try {
      const row = inbox.next(taskId);
      if (row === null || this.#isRefused()) return;
      const { trace, ...options } = row.options as WaitingOptions;
      const request = { ...options, task_id: taskId, message: row.content as UserContent };
      const extras = {
        alongside: (turnId: string) => inbox.take(row, turnId),
        from: { kind: "waited", ...trace },
        next: [taken(row, "turn")],
        isWaiting: true,
      } as const;
      this.#startFitting(request, extras).run();
    } catch (error) {
      logger.error({ err: error }, "failed to start the turn of a waiting message; retrying");
      this.#isStartOverdue = true;
      this.#retryIn(RETRY_MS);
    }
  }

  /** Context that fitted when the message was sent may fit the task no longer. Its turn then starts without. */
  #startFitting(request: TurnStart, extras: TurnExtras): StartedTurn {
    const { runner, logger } = this.#parts;
    try {
      return runner.start(request, extras);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      logger.warn({ reason: error.message }, "left out the context of a message that waited");
      return runner.start({ ...request, context: undefined }, extras);
    }
  }

  /** A spent budget is asked again when it resets. Other refusals end with a call of the daemon, or with the process. */
  #isRefused(): boolean {
    const refusal = this.#parts.runner.refusal();
    const seconds = refusal?.code === "BUDGET_EXCEEDED" ? refusal.details?.["retry_after"] : undefined;
    if (typeof seconds === "number") this.#retryIn(seconds * 1000);
    return refusal !== null;
  }

  #retryIn(ms: number): void {
    clearTimeout(this.#retry);
    const retry = () => {
      this.#isStartOverdue = false;
      this.startWaiting();
    };
    this.#retry = setTimeout(retry, Math.min(ms, MAX_TIMER_MS)).unref();
  }
}
