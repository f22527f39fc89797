import { inBackground } from "../../shared/background.ts";
import { Deadline } from "../../shared/deadline.ts";
import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import { delay } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { NO_SPAN } from "../../shared/tracing/span.ts";
import { filesOf } from "../attachments/user-content.ts";
import type { StartedTurn as StoredTurn } from "../../contract/engine/turn.ts";
import { EngineError } from "../engine-error.ts";
import type { TurnOrigin, TurnTrace } from "../telemetry/engine-telemetry.ts";
import type { RunningTurn } from "../store/turns.ts";
import type { JournalEvent } from "./event-journal.ts";
import { resumeVerdict } from "./resume-verdict.ts";
import { storeTurn } from "./store-turn.ts";
import { type HoldPurpose, type Slot, TurnAborted } from "./task-slots.ts";
import { TurnLifecycle } from "./turn-lifecycle.ts";
import { TurnTally } from "./turn-tally.ts";
import { Turn, type TurnParts, type TurnStart } from "./turn.ts";

export type { TurnParts } from "./turn.ts";

/** What belongs to the start of a turn. */
export interface TurnExtras {
  /** Stored in the turn's transaction. */
  readonly alongside?: (turnId: string) => void;
  readonly from?: TurnOrigin;
  /** Its model was checked when the message was sent. What is allowed no longer fails the turn. */
  readonly isWaiting?: boolean;
  /** Events after the first one. */
  readonly next?: readonly JournalEvent[];
}
const UNTRACED: TurnOrigin = { kind: "call", span: NO_SPAN };

export interface StartedTurn {
  readonly turnId: string;
  /** Runs the turn. To be called once, after its reader has subscribed. */
  run(): void;
}

/** Starts turns, resumes those of an earlier process, and parks them when the engine stops. */
export class TurnRunner {
  readonly #parts: TurnParts;
  readonly #running = new Set<Turn>();
  #draining = false;
  #parking = false;
  #paused = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /**
   * Claims the task's slot and stores the turn, its first events and what `alongside` stores, in one transaction.
   * Throws `INVALID_REQUEST`, `TASK_BUSY`, `POLICY_DENIED`, `BUDGET_EXCEEDED` and `ENGINE_DRAINING`.
   */
  start(
    request: TurnStart,
    { alongside = () => undefined, from = UNTRACED, next, isWaiting = false }: TurnExtras = {},
  ): StartedTurn {
    this.assertOpen();
    if (!isWaiting) this.assertAllowed(request);
    const turnId = newId("turn");
    const claim = this.#parts.slots.claim(request.task_id, turnId);
    if (claim.kind === "busy") throw busy(claim.holder);
    const { slot } = claim;
    try {
      const turn = new Turn(this.#parts, { slot, request, parking: () => this.#parking, from });
      const store = () => {
        storeTurn(this.#parts, request, { turnId, trace: turn.observed.trace });
        alongside(turnId);
      };
      turn.lifecycle.start(filesOf(request.message), store, next);
      return { turnId, run: () => this.#run(turn) };
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** Throws `INVALID_REQUEST` and `POLICY_DENIED` for an agent or a model that the turn cannot have. */
  assertAllowed(request: TurnStart): void {
    this.#parts.assertAllowed?.(request);
  }

  /** Throws the errors of `start`, for a caller that has to write files first. */
  assertStartable(taskId: string): void {
    this.assertOpen();
    const holder = this.#parts.slots.get(taskId);
    if (holder !== undefined) throw busy(holder);
  }

  /** Throws why no turn may start. `evenDraining`: a draining engine is open to what waits for a turn in flight. */
  assertOpen({ evenDraining = false } = {}): void {
    const refusal = this.refusal({ evenDraining });
    if (refusal !== null) throw refusal;
  }

  /** Why no turn may start now; null when one may. */
  refusal({ evenDraining = false } = {}): EngineError | null {
    const { suspension, budgets } = this.#parts;
    if (suspension.isActive) return new EngineError("POLICY_DENIED", suspension.reason);
    if (this.#draining && !evenDraining)
      return new EngineError("ENGINE_DRAINING", "the engine is draining and accepts no new turns");
    if (this.#paused)
      return new EngineError("ENGINE_DRAINING", "a memory erasure is running; retry when it has finished");
    const refusal = budgets.refusal();
    return refusal === null ? null : new EngineError("BUDGET_EXCEEDED", refusal.message, refusal.details);
  }

  /** Returns false when the task has no turn in flight, or not the given one. */
  cancel(
    taskId: string,
    { turnId, reason = "cancelled by the client" }: { turnId?: string; reason?: string } = {},
  ): boolean {
    const slot = this.#parts.slots.get(taskId);
    if (slot === undefined || slot.purpose !== "turn") return false;
    if (turnId !== undefined && slot.turnId !== turnId) return false;
    slot.abort(new TurnAborted("CANCELLED", reason));
    return true;
  }

  isRunning(turnId: string): boolean {
    return this.#parts.slots.all().some((slot) => slot.turnId === turnId);
  }

  /** The current state of a turn; null when it is not stored. */
  find(turnId: string): StoredTurn | null {
    const stored = this.#parts.turns.outcome(turnId);
    if (stored === null) return null;
    const slot = this.#parts.slots.all().find((one) => one.turnId === turnId);
    const state = stored.state === "running" ? (slot?.state ?? "running") : stored.state;
    const { humanRequests, clientCalls } = this.#parts;
    const oldest = () => humanRequests.oldestOf(turnId) ?? clientCalls.oldestOf(turnId);
    const requestId = state === "waiting_for_human" ? oldest() : null;
    return { turn_id: turnId, ...stored, state, request_id: requestId };
  }

  /** Of the turn or rewind that is in flight in a task; null without. */
  stateOf(taskId: string): Slot["state"] | null {
    return this.#parts.slots.get(taskId)?.state ?? null;
  }

  /** The task of a running or ended turn. */
  taskOf(turnId: string): string | null {
    return this.#parts.turns.taskOf(turnId);
  }

  /** Rejects new turns from now on; turns in flight continue. */
  drain(): void {
    this.#draining = true;
  }

  cancelAll(reason: string): void {
    for (const slot of this.#parts.slots.all()) slot.abort(new TurnAborted("CANCELLED", reason));
  }

  /** Throws `POLICY_DENIED`. */
  assertNotSuspended(): void {
    const { suspension } = this.#parts;
    if (suspension.isActive) throw new EngineError("POLICY_DENIED", suspension.reason);
  }

  /** Rejects new turns until `dispose`. Busy while a turn is in flight, or when already paused. */
  pause(): { readonly kind: "paused"; dispose(): void } | { readonly kind: "busy"; readonly turns: readonly Slot[] } {
    const turns = this.#parts.slots.all();
    if (turns.length > 0 || this.#paused) return { kind: "busy", turns };
    this.#paused = true;
    return { kind: "paused", dispose: () => (this.#paused = false) };
  }

  /** Waits until no turn has running code, or the deadline passes. */
  async waitUntilIdle(deadlineMs: number): Promise<void> {
    const end = new Deadline(deadlineMs);
    while (!this.idle && !end.isOver) await delay(5);
  }

  get draining(): boolean {
    return this.#draining;
  }

  /**
   * Holds a task without a turn, until the returned function is called. Throws `TASK_BUSY` and `ENGINE_DRAINING`.
   */
  hold(taskId: string, purpose: HoldPurpose): () => void {
    if (this.#draining || this.#paused)
      throw new EngineError("ENGINE_DRAINING", "the engine is draining or erases its memory; retry later");
    const claim = this.#parts.slots.hold(taskId, purpose);
    if (claim.kind === "busy") throw busy(claim.holder);
    return () => {
      claim.slot.release();
      this.#parts.freed(taskId);
    };
  }

  /** Number of turns that do not wait for a human or the client, and of rewinds. */
  get busy(): number {
    return this.#parts.slots.all().filter(({ state }) => state === "running").length;
  }

  /**
   * Parks each turn at its next step, or at once when it waits for a human or the client. Call repeatedly until nothing is `busy`, as a
   * turn may start to wait meanwhile.
   */
  park(): void {
    this.#draining = true;
    this.#parking = true;
    for (const turn of this.#running) if (turn.slot.state === "waiting_for_human") turn.park();
  }

  /** Parks the remaining turns in the middle of a step, and resets the resume counts: this stop is not their fault. */
  parkAll(): void {
    for (const turn of this.#running) turn.park();
    const { journal, turns, logger } = this.#parts;
    try {
      journal.commit(() => turns.parked());
    } catch (error) {
      logger.error({ err: error }, "failed to store the parked turns");
    }
  }

  /** Whether no turn has running code, cleanup included. */
  get idle(): boolean {
    return this.#running.size === 0;
  }

  /** Resumes the turns that an earlier process left running, each from its last stored step. */
  recover(): void {
    const rows = this.#parts.turns.running();
    if (rows.length === 0) return;
    for (const row of rows) {
      const claim = this.#parts.slots.claim(row.taskId, row.turnId, row.startedAt);
      if (claim.kind === "busy") continue;
      try {
        this.#resume(row, claim.slot);
      } catch (error) {
        this.#close(row, claim.slot, error);
      }
    }
  }

  #resume(row: RunningTurn, slot: Slot): void {
    const { journal, turns, toolCalls, humanRequests, clientCalls, logger } = this.#parts;
    const { turnId, request, blocks } = row;
    const parking = () => this.#parking;
    const waits = humanRequests.waitsFor(turnId) || clientCalls.waitsFor(turnId);
    const verdict = resumeVerdict(row, { waits });
    const from = originOf(row);
    const turn = new Turn(this.#parts, { slot, request, parking, from, tally: TurnTally.of(journal, turnId) });
    if (verdict.kind === "give_up") {
      turn.giveUp({ kind: "errored", code: "ENGINE_RESTARTED", message: verdict.reason });
      return;
    }
    logger.info({ turn_id: turnId, resumes: row.resumes }, "turn resumed after a restart");
    turn.lifecycle.resume({ blocks, isStored: (callId) => toolCalls.has(turnId, callId) });
    journal.commit(() => turns.resumed(turnId));
    this.#run(turn);
  }

  /** Ends a turn whose stored state cannot be read. */
  #close({ taskId, turnId, startedAt }: RunningTurn, slot: Slot, why: unknown): void {
    const { toolCalls, telemetry, logger } = this.#parts;
    const from = { kind: "stored", trace: undefined } as const;
    const observed = telemetry.turn({ taskId, turnId, agent: DEFAULT_AGENT, startedAt, from });
    logger.error({ err: why, turn_id: turnId }, "failed to resume turn after a restart");
    const message = "the stored state of the turn cannot be read";
    const freeSlot = () => {
      slot.release();
      this.#parts.freed(taskId);
    };
    new TurnLifecycle({ ...this.#parts, taskId, turnId, startedAt, observed }).end(
      { kind: "errored", code: "ENGINE_RESTARTED", message },
      { alongside: () => toolCalls.forget(turnId), freeSlot },
    );
  }

  #run(turn: Turn): void {
    this.#running.add(turn);
    const ended = turn.run().finally(() => this.#running.delete(turn));
    inBackground("turn", ended);
  }
}

/** Null-safe for turns that were stored without a trace. */
const originOf = ({ request }: RunningTurn): TurnOrigin => ({
  kind: "stored",
  trace: request["trace"] as TurnTrace | undefined,
});

export function busy({ turnId, startedAt, state, purpose }: Slot): EngineError {
  if (purpose !== "turn") {
    const what = purpose === "rewind" ? "rewound" : "deleted";
    return new EngineError("TASK_BUSY", `the task is being ${what}; retry later`);
  }
  const details = { turn_id: turnId, started_at: new Date(startedAt).toISOString(), state };
  return new EngineError("TASK_BUSY", "the task has a turn in flight", details);
}
