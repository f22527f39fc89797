import type { ExecuteRequest } from "../../contract/engine-api.ts";
import { delay } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { EngineError } from "../engine-error.ts";
import type { RunningTurn } from "../store/turns.ts";
import { resumeVerdict } from "./resume-rule.ts";
import { type Slot, TurnAborted } from "./task-slots.ts";
import { Turn, type TurnParts } from "./turn.ts";
import { TurnLifecycle } from "./turn-lifecycle.ts";
import { TurnTally } from "./turn-tally.ts";

export type { TurnParts } from "./turn.ts";

export interface BegunTurn {
  readonly turnId: string;
  /** Sets it going; to be called once, when its reader has been told that it began. */
  go(): void;
}

/** Begins turns, goes on with those that a process before this one left, and leaves them at its own end. */
export class TurnRunner {
  readonly #parts: TurnParts;
  readonly #running = new Set<Turn>();
  #draining = false;
  #parking = false;
  #held = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Claims the task's slot and stores the turn, what else `remember` stores of it, and its first event. Throws TASK_BUSY. */
  begin(request: ExecuteRequest, remember: (turnId: string) => void = () => undefined): BegunTurn {
    if (this.#draining) throw new EngineError("ENGINE_DRAINING", "the engine takes no new turns");
    if (this.#held) throw new EngineError("ENGINE_DRAINING", "the engine erases its memory; then it takes turns again");
    const turnId = newId("turn");
    const claim = this.#parts.slots.claim(request.task_id, turnId);
    if (claim.kind === "busy") throw busy(claim.holder);
    const { slot } = claim;
    try {
      const turn = new Turn(this.#parts, { slot, request, parking: () => this.#parking });
      turn.lifecycle.start(() => {
        this.#storeMessage(request, turnId);
        remember(turnId);
      });
      return { turnId, go: () => this.#go(turn) };
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** False when the task has no turn in flight, or another one than the given. */
  cancel(
    taskId: string,
    { turnId, reason = "cancelled by the client" }: { turnId?: string; reason?: string } = {},
  ): boolean {
    const slot = this.#parts.slots.get(taskId);
    if (slot === undefined || (turnId !== undefined && slot.turnId !== turnId)) return false;
    slot.abort(new TurnAborted("CANCELLED", reason));
    return true;
  }

  isRunning(turnId: string): boolean {
    return this.#parts.slots.all().some((slot) => slot.turnId === turnId);
  }

  /** The task of a turn that there is or was. */
  taskOf(turnId: string): string | null {
    return this.#parts.turns.taskOf(turnId);
  }

  /** No new turns from now on; those in flight go on. */
  drain(): void {
    this.#draining = true;
  }

  /** No turn begins until it is let go of; not while one is in flight, or somebody else has it. */
  hold(): { readonly kind: "held"; dispose(): void } | { readonly kind: "busy"; readonly turns: readonly Slot[] } {
    const turns = this.#parts.slots.all();
    if (turns.length > 0 || this.#held) return { kind: "busy", turns };
    this.#held = true;
    return { kind: "held", dispose: () => void (this.#held = false) };
  }

  /** Waits until nothing runs any more for turns that are over. */
  async quiet(deadlineMs: number): Promise<void> {
    const end = Date.now() + deadlineMs;
    while (!this.idle && Date.now() < end) await delay(5);
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Turns that get further without a person. */
  get busy(): number {
    return this.#parts.slots.all().filter(({ state }) => state === "running").length;
  }

  /**
   * The engine stops: each turn is left at its next step, and at once where it waits for a person, who may take hours.
   * To be called again until nothing is `busy`, for a turn may begin to wait meanwhile.
   */
  park(): void {
    this.#draining = true;
    this.#parking = true;
    for (const turn of this.#running) if (turn.slot.state === "waiting_for_human") turn.park();
  }

  /** Leaves what is still in flight in the middle of a step. No turn is to blame that it has to be taken up again. */
  parkAll(): void {
    for (const turn of this.#running) turn.park();
    const { journal, turns, logger } = this.#parts;
    try {
      journal.keep(() => turns.parked());
    } catch (error) {
      logger.error({ err: error }, "what the last turns did could not be stored");
    }
  }

  /** Whether something still runs for a turn, be it only to leave. */
  get idle(): boolean {
    return this.#running.size === 0;
  }

  /**
   * Goes on with the turns that a process before this one left running, each from its last stored step, when what they
   * need is `ready`: their tools may come from servers that are still being connected.
   */
  recover(ready: () => Promise<void> = () => Promise.resolve()): void {
    const rows = this.#parts.turns.running();
    if (rows.length === 0) return;
    const after = ready();
    for (const row of rows) {
      const claim = this.#parts.slots.claim(row.taskId, row.turnId, row.startedAt);
      if (claim.kind === "busy") continue;
      try {
        this.#resume(row, claim.slot, after);
      } catch (error) {
        this.#close(row, claim.slot, error);
      }
    }
  }

  #resume(row: RunningTurn, slot: Slot, after: Promise<void>): void {
    const { journal, turns, toolCalls, desk, logger } = this.#parts;
    const { turnId, request, blocks } = row;
    const parking = () => this.#parking;
    const verdict = resumeVerdict(row, { waits: desk.waitsFor(turnId) });
    const turn = new Turn(this.#parts, { slot, request, parking, tally: TurnTally.of(journal, turnId) });
    if (verdict.kind === "give_up") {
      turn.giveUp({ kind: "errored", code: "ENGINE_RESTARTED", message: verdict.reason });
      return;
    }
    logger.info({ turn_id: turnId, resumes: row.resumes }, "turn goes on after a restart");
    turn.lifecycle.resume({ blocks, isStored: (callId) => toolCalls.has(turnId, callId) });
    journal.keep(() => turns.resumed(turnId));
    this.#go(turn, after);
  }

  /** What is stored of it is of no use: it ends without being looked at. */
  #close({ taskId, turnId }: RunningTurn, slot: Slot, why: unknown): void {
    const { toolCalls, logger } = this.#parts;
    logger.error({ err: why, turn_id: turnId }, "turn cannot go on after a restart");
    const message = "what is stored of the turn cannot be read";
    new TurnLifecycle({ ...this.#parts, taskId, turnId }).end(
      { kind: "errored", code: "ENGINE_RESTARTED", message },
      { alongside: () => toolCalls.forget(turnId), freeSlot: () => slot.release() },
    );
  }

  #go(turn: Turn, after?: Promise<void>): void {
    this.#running.add(turn);
    void turn.run(after).finally(() => this.#running.delete(turn));
  }

  /**
   * Clients repeat a call that failed. When the task's last turn came to nothing and the message is the same, it is
   * the same wish: the message stored then is withdrawn, so that the model reads it once.
   */
  #storeMessage({ task_id: taskId, message, metadata = {}, ...asked }: ExecuteRequest, turnId: string): void {
    const { turns, messages } = this.#parts;
    const last = turns.lastEnded(taskId);
    if (last !== null && last.errorCode !== null && last.message === message && !messages.hasAnswer(last.turnId)) {
      messages.withdraw(last.turnId);
    }
    turns.insert({ turnId, taskId, message, metadata, request: asked, startedAt: Date.now() });
    messages.append(taskId, { turnId, role: "user", content: message });
  }
}

function busy({ turnId, startedAt, state }: Slot): EngineError {
  const details = { turn_id: turnId, started_at: new Date(startedAt).toISOString(), state };
  return new EngineError("TASK_BUSY", "the task has a turn in flight", details);
}
