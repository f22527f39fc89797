import { randomBytes } from "node:crypto";
import { DEFAULT_AGENT, type ExecuteRequest } from "../../contract/engine/requests.ts";
import type { Logger } from "../../shared/logger.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import type { AgentLoop, AgentOutcome } from "../agent/agent-loop.ts";
import type { ModelUsage, TurnContext } from "../agent/turn-context.ts";
import type { UserContent } from "../attachments/user-content.ts";
import type { EngineTelemetry, ObservedTurn, TurnOrigin } from "../telemetry/engine-telemetry.ts";
import type { CompactionTable } from "../store/compactions.ts";
import type { ConversationTable } from "../store/conversations.ts";
import type { LoadedToolTable } from "../store/loaded-tools.ts";
import type { MessageTable } from "../store/messages.ts";
import type { TaskTable } from "../store/tasks.ts";
import type { ToolCallTable } from "../store/tool-call-table.ts";
import type { TurnTable } from "../store/turns.ts";
import type { MemoryWriter } from "../memory/memory-writer.ts";
import type { ToolNamed } from "../tools/tool.ts";
import { summarizeTurn } from "./turn-summary.ts";
import type { ClientCalls } from "./client-calls.ts";
import type { ToolHook } from "./tool-hook.ts";
import type { EventJournal } from "./event-journal.ts";
import type { Inbox } from "./inbox.ts";
import type { HumanRequests } from "./human-requests.ts";
import type { ProductSuspension } from "./product-suspension.ts";
import { type Slot, type TaskSlots, TurnParked } from "./task-slots.ts";
import { type Ending, TurnLifecycle, type TurnMeter } from "./turn-lifecycle.ts";
import { TurnLog } from "./turn-log.ts";
import { outcomeOf } from "./turn-outcome.ts";
import { TurnTally } from "./turn-tally.ts";

export interface TurnParts {
  readonly journal: EventJournal;
  readonly humanRequests: HumanRequests;
  readonly clientCalls: ClientCalls;
  readonly toolHook: ToolHook;
  readonly slots: TaskSlots;
  readonly suspension: ProductSuspension;
  readonly tasks: TaskTable;
  readonly turns: TurnTable;
  readonly messages: MessageTable;
  readonly toolCalls: ToolCallTable;
  readonly compactions: CompactionTable;
  readonly conversations: ConversationTable;
  readonly loadedTools: LoadedToolTable;
  readonly memory: Pick<MemoryWriter, "round" | "note">;
  readonly meter: TurnMeter;
  /** Why no model call can be made now. */
  readonly budgets: { refusal(): BudgetRefusal | null };
  readonly runAgent: AgentLoop;
  readonly toolNamed: ToolNamed;
  /** Throws `INVALID_REQUEST` or `POLICY_DENIED` for an agent or a model that a turn cannot use. */
  readonly assertAllowed?: (turn: Pick<TurnRequest, "agent" | "model">) => void;
  /** Waits for tools that are not known yet, before the turn's first step. Never rejects. */
  readonly toolsReady?: (turn: BeginningTurn) => Promise<void>;
  readonly telemetry: EngineTelemetry;
  readonly inbox: Inbox;
  /** Called when a task's turn has ended, before its last events are delivered. */
  readonly freed: (taskId: string) => void;
  readonly logger: Logger;
}

export interface BeginningTurn {
  readonly turnId: string;
  readonly signal: AbortSignal;
  /** Whether the engine is stopping: the turn resumes at the next start. */
  readonly parking: () => boolean;
}

/** A spent budget. The fields are those of the error. */
export interface BudgetRefusal {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}
/** A turn to start: the call's body, its attachments stored. */
export type TurnStart = Omit<ExecuteRequest, "message" | "when_busy" | "interrupt" | "message_id"> & {
  readonly message: UserContent;
};

/** Options of a turn's request, stored to resume it after a restart. */
export type TurnRequest = Pick<
  ExecuteRequest,
  "agent" | "model" | "effort" | "thinking" | "max_steps" | "on_disconnect" | "client_tools" | "output_schema"
>;

/** One turn in flight, from the claim of its slot to its single end. */
export class Turn {
  readonly slot: Slot;
  readonly lifecycle: TurnLifecycle;
  readonly observed: ObservedTurn;
  readonly #parts: TurnParts;
  readonly #request: TurnRequest;
  readonly #parking: () => boolean;
  /** One question at a time per turn, sub-agents included. */
  readonly #asking = new SerialLanes();
  /** Stays true, so that a reader which reconnects has missed nothing. */
  #wantsToolInput = false;
  #log: TurnLog | undefined;

  /** `tally`: of the events that an earlier process emitted. */
  constructor(
    parts: TurnParts,
    {
      slot,
      request,
      parking,
      from,
      tally = new TurnTally(),
    }: {
      readonly slot: Slot;
      readonly request: TurnRequest;
      readonly parking: () => boolean;
      readonly from: TurnOrigin;
      readonly tally?: TurnTally;
    },
  ) {
    this.#parts = parts;
    this.slot = slot;
    this.#request = request;
    this.#parking = parking;
    const { agent = DEFAULT_AGENT } = request;
    const { taskId, turnId, startedAt } = slot;
    const observed = parts.telemetry.turn({ taskId, turnId, agent, startedAt, from });
    this.observed = observed;
    this.lifecycle = new TurnLifecycle({ ...parts, taskId, turnId, startedAt, observed }, tally);
  }

  async run(): Promise<void> {
    const { runAgent, toolsReady, logger } = this.#parts;
    const { signal, turnId } = this.slot;
    let outcome: AgentOutcome | Ending;
    try {
      await toolsReady?.({ turnId, signal, parking: this.#parking });
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

  /** Ends a turn of an earlier process instead of resuming it. */
  giveUp(ending: Ending): void {
    this.#log = this.#openLog("");
    this.end(ending);
  }

  /** Stops the turn without an end; it resumes at the next start. */
  park(): void {
    this.lifecycle.park();
    this.slot.abort(new TurnParked());
    this.slot.release();
  }

  end(ending: Ending): void {
    const { humanRequests, clientCalls, toolHook, toolCalls, logger } = this.#parts;
    const { taskId, turnId, startedAt } = this.slot;
    try {
      humanRequests.closeAll(turnId);
      clientCalls.closeAll(turnId);
    } catch (error) {
      logger.error({ err: error, turn_id: turnId }, "failed to close the requests of a turn");
    }
    const log = this.#log;
    const code = ending.kind === "errored" ? { code: ending.code } : {};
    logger.info({ turn_id: turnId, took_ms: Date.now() - startedAt, ...code }, `turn ${ending.kind}`);
    this.lifecycle.end(ending, {
      alongside: () => {
        log?.close("the turn ended before the call did");
        toolCalls.forget(turnId);
        toolHook.closeAll(turnId);
        this.#remember(ending);
      },
      freeSlot: () => {
        this.slot.release();
        this.#parts.freed(taskId);
      },
    });
  }

  /** Records the turn in memory, in the transaction of its end. A failure here does not fail the end. */
  #remember(ending: Ending): void {
    const { journal, memory, messages, toolNamed, logger } = this.#parts;
    const { taskId, turnId, startedAt } = this.slot;
    const { usage } = this.lifecycle.tally;
    const output = ending.kind === "completed" ? ending.output : undefined;
    try {
      memory.round({
        taskId,
        turnId,
        startedAt,
        usage,
        ...summarizeTurn(messages.ofTurn(turnId), { recalled: messages.recallOf(turnId)?.trust, output, toolNamed }),
        outcome: ending.kind,
        errorCode: ending.kind === "errored" ? ending.code : null,
        endedAt: Date.now(),
      });
    } catch (error) {
      // SQLite rolled the transaction back: rethrow, so that the whole end is retried.
      if (!journal.isStoring) throw error;
      logger.error({ err: error, turn_id: turnId }, "failed to record a turn in memory");
    }
  }

  #openLog(thread: string): TurnLog {
    const { taskId, turnId, signal } = this.slot;
    const blocks = () => this.lifecycle.tally.nextBlock;
    return new TurnLog(this.#parts, { taskId, turnId, thread, signal, blocks });
  }

  #context(log: TurnLog, { isMain = true } = {}): TurnContext {
    const { humanRequests, clientCalls, toolHook, memory, journal, telemetry } = this.#parts;
    const { slot, lifecycle } = this;
    const { scope } = this.observed;
    const { taskId, turnId, signal } = slot;
    const { tally } = lifecycle;
    const emit: TurnContext["emit"] = (event) => {
      slot.progress();
      // A request from before a restart may still be open.
      if (event.event === "tool_result") {
        humanRequests.closeOf(turnId, event.data.tool_call_id);
        clientCalls.closeOf(event.data.tool_call_id);
      }
      lifecycle.emit(event);
    };
    // Read lazily: most turns have no calls, and conversations can be long.
    let earlierIds: ReadonlySet<string> | undefined;
    const isTaken = (id: string) => {
      earlierIds ??= new Set(log.callIds());
      return id === "" || tally.callIds.has(id) || earlierIds.has(id);
    };
    return {
      taskId,
      turnId,
      agent: scope.agent,
      signal,
      // A message interrupts the answer to the user, not the work of a sub-agent.
      newInterrupt: () => (isMain ? slot.newInterrupt() : new AbortController().signal),
      cutOff: (content) => {
        lifecycle.cutOff(INTERRUPTED);
        log.cutOff(content, INTERRUPTED);
      },
      thinking: this.#request.thinking ?? false,
      model: this.#request.model,
      effort: this.#request.effort,
      maxSteps: this.#request.max_steps ?? 100,
      clientTools: this.#request.client_tools ?? NO_CLIENT_TOOLS,
      outputSchema: this.#request.output_schema,
      log,
      telemetry,
      scope,
      emit,
      substituteOf: (model, parentCallId) => tally.substituteOf(model, parentCallId),
      nextBlock: () => tally.nextBlock,
      replaceFrom: (block) => lifecycle.replaceFrom(block),
      callId(wanted) {
        const id = isTaken(wanted) ? newCallId() : wanted;
        // Reserved at once: several agents of a turn may call at the same time.
        tally.callIds.add(id);
        return id;
      },
      spend: (used) => emit({ event: "usage", data: usageData(tally.usage, used) }),
      ask: (question) => this.#asking.run("", () => humanRequests.ask(slot, question)),
      gate: toolHook.ofTurn(slot),
      callClient: (call) => clientCalls.run(slot, call),
      isAnnounced: (callId) => tally.openCalls.has(callId),
      work: () => slot.work(),
      wantsToolInput: () => (this.#wantsToolInput ||= journal.isWanted("tool_input_delta", slot)),
      isWaitingForHuman: () => slot.state === "waiting_for_human",
      humanWaitOver: () => slot.humanWaitOver(),
      progress: () => slot.progress(),
      note: (entryType, content) => {
        lifecycle.emit({ event: "working_memory_update", data: { entry_type: entryType, content } });
        journal.commit(() => memory.note({ taskId, turnId, entryType, content, createdAt: Date.now() }));
      },
      parking: this.#parking,
      branch: (name, message) => {
        const branch = this.#openLog(name);
        branch.open(message);
        // The schema is that of the turn's result.
        return { ...this.#context(branch, { isMain: false }), outputSchema: undefined };
      },
    };
  }
}

/** One array for all turns: what is made of it is made once. */
const NO_CLIENT_TOOLS: TurnContext["clientTools"] = [];
const INTERRUPTED = "a message of the user interrupted the answer before the call started; it did not run";

/** Short enough for every provider. */
const newCallId = (): string => `call_${randomBytes(12).toString("hex")}`;

const usageData = (before: ModelUsage, used: ModelUsage) => ({
  input_tokens: before.inputTokens + used.inputTokens,
  output_tokens: before.outputTokens + used.outputTokens,
  cache_hit_tokens: before.cacheHitTokens + used.cacheHitTokens,
});
