import { DEFAULT_AGENT, type ExecuteRequest } from "../../contract/engine-api.ts";
import { newId } from "../../kit/ids.ts";
import type { Logger } from "../../kit/logger.ts";
import { type AgentLoop, type ToldResult, type TurnContext, finishOpenCalls } from "../agent/agent-loop.ts";
import { EngineError, internalError } from "../engine-error.ts";
import type { MessageTable } from "../store/messages.ts";
import type { TurnTable } from "../store/turns.ts";
import type { WorkingMemoryTable } from "../store/working-memory.ts";
import type { EventJournal, JournalEvent } from "./event-journal.ts";
import type { HitlDesk } from "./hitl-desk.ts";
import { type Slot, type TaskSlots, TurnAborted } from "./task-slots.ts";
import { type Outcome, TurnLifecycle } from "./turn-lifecycle.ts";

/** What a turn that was cut off is closed by, and never its text, of which there may be hundreds of megabytes. */
const BRACKETS = ["tool_call", "tool_result", "content_block_start", "content_block_stop"];
const MAX_TURN_EVENTS = 1_000_000;

export interface TurnParts {
  readonly journal: EventJournal;
  readonly desk: HitlDesk;
  readonly slots: TaskSlots;
  readonly turns: TurnTable;
  readonly messages: MessageTable;
  readonly workingMemory: WorkingMemoryTable;
  readonly runAgent: AgentLoop;
  readonly logger: Logger;
}

export interface BegunTurn {
  readonly turnId: string;
  /** Sets it going; to be called once, when its reader has been told that it began. */
  go(): void;
}

/** Begins turns and sees each to its one end, whatever the agent, a tool or the store does. */
export class TurnRunner {
  readonly #parts: TurnParts;
  #draining = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Claims the task's slot and stores the turn, what else `remember` stores of it, and its first event. Throws TASK_BUSY. */
  begin(request: ExecuteRequest, remember: (turnId: string) => void = () => undefined): BegunTurn {
    if (this.#draining) throw new EngineError("ENGINE_DRAINING", "the engine takes no new turns");
    const { slots, turns, journal } = this.#parts;
    const taskId = request.task_id;
    const turnId = newId("turn");
    const claim = slots.claim(taskId, turnId);
    if (claim.kind === "busy") throw busy(claim.holder);
    const { slot } = claim;
    try {
      const lifecycle = new TurnLifecycle({ journal, turns, taskId, turnId });
      lifecycle.start(() => {
        this.#storeMessage(request, turnId);
        remember(turnId);
      });
      return { turnId, go: () => void this.#run(request, slot, lifecycle) };
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

  /** No new turns from now on; those in flight go on. */
  drain(): void {
    this.#draining = true;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Ends what is in flight; for the end of the process. */
  abortAll(): void {
    for (const slot of this.#parts.slots.all())
      slot.abort(new TurnAborted("ENGINE_RESTARTED", "the engine is stopping"));
  }

  /**
   * Closes the turns that a process before this one left running, so that no task stays locked, no question is open
   * in vain and no conversation ends in a tool call without its result.
   */
  recover(): void {
    const { turns, journal } = this.#parts;
    for (const { turnId, taskId } of turns.running()) {
      this.#closeOpenEnds(taskId, turnId, "the engine restarted; whether the call took effect is unknown");
      const lifecycle = new TurnLifecycle({ journal, turns, taskId, turnId });
      for (const { type, data } of journal.read({ turnId, types: BRACKETS, limit: MAX_TURN_EVENTS })) {
        lifecycle.observe({ event: type, data: JSON.parse(data) } as JournalEvent);
      }
      lifecycle.end(
        { kind: "errored", code: "ENGINE_RESTARTED", message: "the engine restarted during the turn" },
        () => undefined,
      );
    }
  }

  /**
   * Clients repeat a call that failed. When the task's last turn came to nothing and the message is the same, it is
   * the same wish: the message stored then is withdrawn, so that the model reads it once.
   */
  #storeMessage({ task_id: taskId, message, metadata = {} }: ExecuteRequest, turnId: string): void {
    const { turns, messages } = this.#parts;
    const last = turns.lastEnded(taskId);
    if (last !== null && last.errorCode !== null && last.message === message && !messages.hasAnswer(last.turnId)) {
      messages.withdraw(last.turnId);
    }
    turns.insert({ turnId, taskId, message, metadata, startedAt: Date.now() });
    messages.append(taskId, { turnId, role: "user", content: message });
  }

  async #run(request: ExecuteRequest, slot: Slot, lifecycle: TurnLifecycle): Promise<void> {
    const { logger, runAgent } = this.#parts;
    const { taskId, turnId } = slot;
    let outcome: Outcome;
    try {
      outcome = await runAgent(this.#contextOf(request, slot, lifecycle));
    } catch (error) {
      outcome = outcomeOf(error, slot.signal);
      if (outcome.kind === "errored" && outcome.code === "INTERNAL_ERROR")
        logger.error({ err: error, turn_id: turnId }, "turn failed");
    }
    this.#closeOpenEnds(taskId, turnId, outcome.kind === "errored" ? "the turn ended before the call did" : null);
    this.#end(slot, lifecycle, outcome);
  }

  /** Calls without a result get `words` for one; nobody is asked in vain. A turn ends even when this cannot be stored. */
  #closeOpenEnds(taskId: string, turnId: string, words: string | null): void {
    const { desk, logger } = this.#parts;
    try {
      if (words !== null) this.#finishOpenCalls(taskId, turnId, words);
      desk.closeAll(turnId);
    } catch (error) {
      logger.error({ err: error, turn_id: turnId }, "a turn's open ends could not be closed");
    }
  }

  #finishOpenCalls(taskId: string, turnId: string, words: string): void {
    const { journal, messages } = this.#parts;
    const told = () => {
      journal.flush();
      const rows = journal.read({ turnId, types: ["tool_result"], limit: MAX_TURN_EVENTS });
      return rows.map(({ data }) => JSON.parse(data) as ToldResult);
    };
    finishOpenCalls(messages, { taskId, turnId }, { told, words });
  }

  #end(slot: Slot, lifecycle: TurnLifecycle, outcome: Outcome): void {
    const code = outcome.kind === "errored" ? { code: outcome.code } : {};
    this.#parts.logger.info(
      { turn_id: slot.turnId, took_ms: Date.now() - slot.startedAt, ...code },
      `turn ${outcome.kind}`,
    );
    lifecycle.end(outcome, () => slot.release());
  }

  #contextOf(request: ExecuteRequest, slot: Slot, lifecycle: TurnLifecycle): TurnContext {
    const { desk, workingMemory } = this.#parts;
    const { taskId, turnId } = slot;
    return {
      taskId,
      turnId,
      agent: request.agent ?? DEFAULT_AGENT,
      signal: slot.signal,
      thinking: request.thinking ?? false,
      maxSteps: request.max_steps ?? 100,
      emit: (event) => {
        slot.progress();
        lifecycle.emit(event);
      },
      ask: (question) => desk.ask(slot, question),
      progress: () => slot.progress(),
      note: (entryType, content) => {
        workingMemory.append({ taskId, turnId, entryType, content, createdAt: Date.now() });
        lifecycle.emit({ event: "working_memory_update", data: { entry_type: entryType, content } });
      },
    };
  }
}

function busy({ turnId, startedAt, state }: Slot): EngineError {
  const details = { turn_id: turnId, started_at: new Date(startedAt).toISOString(), state };
  return new EngineError("TASK_BUSY", "the task has a turn in flight", details);
}

function outcomeOf(error: unknown, signal: AbortSignal): Outcome {
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (cause instanceof TurnAborted) return { kind: "errored", code: cause.code, message: cause.message };
  const { code, message, details } =
    cause instanceof EngineError
      ? cause
      : internalError(cause, "unexpected fault; the engine's log has it under the turn id");
  return { kind: "errored", code, message, details };
}
