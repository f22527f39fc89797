import { randomBytes } from "node:crypto";
import { DEFAULT_AGENT, type ExecuteRequest } from "../../contract/engine-api.ts";
import type { Logger } from "../../shared/logger.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import type { AgentLoop, AgentOutcome } from "../agent/agent-loop.ts";
import type { ModelUsage, TurnContext } from "../agent/turn-context.ts";
import { EngineError, internalError } from "../engine-error.ts";
import type { CompactionTable } from "../store/compactions.ts";
import type { MessageTable } from "../store/messages.ts";
import type { ToolCallTable } from "../store/tool-calls.ts";
import type { TurnTable } from "../store/turns.ts";
import type { MemoryWriter } from "../memory/memory-writer.ts";
import { saidInTurn } from "./ended-round.ts";
import type { EventJournal } from "./event-journal.ts";
import type { HumanRequests } from "./human-requests.ts";
import { type Slot, type TaskSlots, TurnAborted, TurnParked } from "./task-slots.ts";
import { type Ending, TurnLifecycle } from "./turn-lifecycle.ts";
import { TurnLog } from "./turn-log.ts";
import { TurnTally } from "./turn-tally.ts";

export interface TurnParts {
  readonly journal: EventJournal;
  readonly desk: HumanRequests;
  readonly slots: TaskSlots;
  readonly turns: TurnTable;
  readonly messages: MessageTable;
  readonly toolCalls: ToolCallTable;
  readonly compactions: CompactionTable;
  readonly memory: Pick<MemoryWriter, "round" | "note">;
  readonly runAgent: AgentLoop;
  readonly logger: Logger;
}

/** How a turn was asked for, beside its message: what is stored of it to go on after a restart. */
export type TurnRequest = Pick<ExecuteRequest, "agent" | "thinking" | "max_steps" | "on_disconnect">;

/** One turn in flight, from its claim to its one end, whatever the agent, a tool or the store does. */
export class Turn {
  readonly slot: Slot;
  readonly lifecycle: TurnLifecycle;
  readonly #parts: TurnParts;
  readonly #request: TurnRequest;
  readonly #parking: () => boolean;
  /** One question at a time, whichever of the turn's agents and calls asks. */
  readonly #asking = new SerialLanes();
  #log: TurnLog | undefined;

  /** `tally`: of what another process has told of it. */
  constructor(
    parts: TurnParts,
    {
      slot,
      request,
      parking,
      tally = new TurnTally(),
    }: {
      readonly slot: Slot;
      readonly request: TurnRequest;
      readonly parking: () => boolean;
      readonly tally?: TurnTally;
    },
  ) {
    this.#parts = parts;
    this.slot = slot;
    this.#request = request;
    this.#parking = parking;
    this.lifecycle = new TurnLifecycle({ ...parts, taskId: slot.taskId, turnId: slot.turnId }, tally);
  }

  /** `after`: what a turn that goes on after a restart waits for, unless it ends first. */
  async run(after?: Promise<void>): Promise<void> {
    const { runAgent, logger } = this.#parts;
    const { signal, turnId } = this.slot;
    let outcome: AgentOutcome | Ending;
    try {
      if (after !== undefined) await Promise.race([after, aborted(signal)]);
      this.#log = this.#openLog("");
      outcome = await runAgent(this.#context(this.#log));
    } catch (error) {
      outcome = outcomeOf(error, signal);
      if (outcome.kind === "errored" && outcome.code === "INTERNAL_ERROR")
        logger.error({ err: error, turn_id: turnId }, "turn failed");
    }
    if (outcome.kind === "parked") this.park();
    else this.end(outcome);
  }

  /** Ends what another process began, instead of going on with it. */
  giveUp(ending: Ending): void {
    this.#log = this.#openLog("");
    this.end(ending);
  }

  /** Leaves it as it is stored, for the next start. */
  park(): void {
    this.lifecycle.park();
    this.slot.abort(new TurnParked());
    this.slot.release();
  }

  end(ending: Ending): void {
    const { desk, toolCalls, logger } = this.#parts;
    const { turnId, startedAt } = this.slot;
    try {
      desk.closeAll(turnId);
    } catch (error) {
      logger.error({ err: error, turn_id: turnId }, "a turn's questions could not be closed");
    }
    const log = this.#log;
    const code = ending.kind === "errored" ? { code: ending.code } : {};
    logger.info({ turn_id: turnId, took_ms: Date.now() - startedAt, ...code }, `turn ${ending.kind}`);
    this.lifecycle.end(ending, {
      alongside: () => {
        log?.close("the turn ended before the call did");
        toolCalls.forget(turnId);
        this.#remember(ending);
      },
      freeSlot: () => this.slot.release(),
    });
  }

  /** Beside the end, within its transaction: an end that could not be remembered is an end all the same. */
  #remember(ending: Ending): void {
    const { journal, memory, messages, logger } = this.#parts;
    const { taskId, turnId, startedAt } = this.slot;
    const { usage } = this.lifecycle.tally;
    try {
      memory.round({
        taskId,
        turnId,
        startedAt,
        usage,
        ...saidInTurn(messages.ofTurn(turnId), messages.recallOf(turnId)?.trust),
        outcome: ending.kind,
        errorCode: ending.kind === "errored" ? ending.code : null,
        endedAt: Date.now(),
      });
    } catch (error) {
      // The rest of the end would be stored piece by piece: the whole of it is tried again.
      if (!journal.isStoring) throw error;
      logger.error({ err: error, turn_id: turnId }, "a turn could not be remembered");
    }
  }

  #openLog(thread: string): TurnLog {
    const { taskId, turnId, signal } = this.slot;
    const blocks = () => this.lifecycle.tally.nextBlock;
    return new TurnLog(this.#parts, { taskId, turnId, thread, signal, blocks });
  }

  #context(log: TurnLog): TurnContext {
    const { desk, memory, journal } = this.#parts;
    const { slot, lifecycle } = this;
    const { taskId, turnId, signal } = slot;
    const { tally } = lifecycle;
    const emit: TurnContext["emit"] = (event) => {
      slot.progress();
      // One that a restart took from its call may still be open.
      if (event.event === "tool_result") desk.closeOf(turnId, event.data.tool_call_id);
      lifecycle.emit(event);
    };
    // Read when a call comes: most turns have none, and long conversations.
    let earlierIds: ReadonlySet<string> | undefined;
    const isTaken = (id: string) => {
      earlierIds ??= new Set(log.callIds());
      return id === "" || tally.callIds.has(id) || earlierIds.has(id);
    };
    return {
      taskId,
      turnId,
      agent: this.#request.agent ?? DEFAULT_AGENT,
      signal,
      thinking: this.#request.thinking ?? false,
      maxSteps: this.#request.max_steps ?? 100,
      log,
      emit,
      nextBlock: () => tally.nextBlock,
      callId(wanted) {
        const id = isTaken(wanted) ? newCallId() : wanted;
        // Taken at once: several agents of a turn may call at the same time.
        tally.callIds.add(id);
        return id;
      },
      spend: (used) => emit({ event: "usage", data: usageData(tally.usage, used) }),
      ask: (question) => this.#asking.run("", () => desk.ask(slot, question)),
      isAsking: () => slot.state === "waiting_for_human",
      quiet: () => slot.quiet(),
      progress: () => slot.progress(),
      note: (entryType, content) => {
        lifecycle.emit({ event: "working_memory_update", data: { entry_type: entryType, content } });
        journal.keep(() => memory.note({ taskId, turnId, entryType, content, createdAt: Date.now() }));
      },
      parking: this.#parking,
      branch: (name, message) => {
        const branch = this.#openLog(name);
        branch.open(message);
        return this.#context(branch);
      },
    };
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Short enough for every provider. */
const newCallId = (): string => `call_${randomBytes(12).toString("hex")}`;

const usageData = (before: ModelUsage, used: ModelUsage) => ({
  input_tokens: before.inputTokens + used.inputTokens,
  output_tokens: before.outputTokens + used.outputTokens,
  cache_hit_tokens: before.cacheHitTokens + used.cacheHitTokens,
});

function outcomeOf(error: unknown, signal: AbortSignal): AgentOutcome | Ending {
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (cause instanceof TurnParked) return { kind: "parked" };
  if (cause instanceof TurnAborted) return { kind: "errored", code: cause.code, message: cause.message };
  const { code, message, details } =
    cause instanceof EngineError
      ? cause
      : internalError(cause, "unexpected fault; the engine's log has it under the turn id");
  return { kind: "errored", code, message, details };
}
