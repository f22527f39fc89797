import type { ToolVerdict } from "../../contract/engine/tool-hook-limits.ts";
import type { ClientTool } from "../../contract/engine/client-tool.ts";
import type { EmittedEvent } from "../../contract/engine/events.ts";
import type { Effort } from "../../contract/engine/model-choice.ts";
import type { HitlKind } from "../../contract/engine/human-request.ts";
import type { OutputSchema } from "../../contract/engine/output-schema.ts";
import type { WorkingMemoryEntryType } from "../../contract/engine/memory.ts";
import type { AssistantContent, ModelUsage } from "../model/model-provider.ts";
import type { EngineTelemetry, Scope } from "../telemetry/engine-telemetry.ts";
import type { StepLog } from "./step-log.ts";

export type { ModelUsage } from "../model/model-provider.ts";

/** A question to the turn's human, or a permission request. */
export interface HumanRequest {
  readonly kind: HitlKind;
  readonly toolCallId: string;
  readonly question: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly options: readonly string[];
  readonly allowFreeText: boolean;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
}

export type HumanAnswer =
  | { readonly kind: "answered"; readonly answer: string }
  /** No answer in time. A permission request counts as denied. */
  | { readonly kind: "expired" };

/** A call of a tool that the client runs. */
export interface ClientCall {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  /** Of a delegated agent: its name, and the call that started it. */
  readonly agent?: string;
  readonly parentToolCallId?: string;
  /** Emits the event with which the client learns of the call. Not called for a call of before a restart. */
  readonly announce: () => void;
}

export type ClientCallEnd =
  | { readonly kind: "answered"; readonly answer: { readonly output: unknown } | { readonly error: string } }
  /** No answer in time. */
  | { readonly kind: "expired" };

/** A call about which the product decides. */
export interface CallToDecide {
  readonly toolCallId: string;
  readonly agent: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Of a delegated agent: the call that started it. */
  readonly parentToolCallId?: string;
}

/** Decides about calls before they run. */
export interface ToolGate {
  /** Whether calls of a tool are to be decided. */
  covers(tool: string): boolean;
  /** Waits for the decision, within a deadline. Repeated after a restart, it is the same one. */
  decide(call: CallToDecide): Promise<ToolVerdict>;
}

/** The turn as the loop sees it: functions only, no store and no stream. */
export interface TurnContext {
  readonly taskId: string;
  readonly turnId: string;
  /** Name of the agent in the catalog. */
  readonly agent: string;
  /** Aborted by cancel, expiry or drain. */
  readonly signal: AbortSignal;
  readonly thinking: boolean;
  /** The model that the call names instead of the agent's. */
  readonly model?: string | undefined;
  readonly effort?: Effort | undefined;
  readonly maxSteps: number;
  /** Tools that the client runs in this turn; the same array throughout. */
  readonly clientTools: readonly ClientTool[];
  /** The schema of the turn's result, in place of the agent's. */
  readonly outputSchema?: OutputSchema | undefined;
  readonly log: StepLog;
  readonly telemetry: EngineTelemetry;
  /** Telemetry scope of the agent; the parent of its model and tool calls. */
  readonly scope: Scope;
  emit(event: Exclude<EmittedEvent, { event: "heartbeat" }>): void;
  /** Of the model call that begins: aborted by a message that interrupts it. */
  newInterrupt(): AbortSignal;
  /** Ends an answer that a message interrupted. What the user has seen of it stays in the conversation. */
  cutOff(content: readonly AssistantContent[]): void;
  /** The model that answered instead of one in this turn, or null. `parentCallId`: of a sub-agent. */
  substituteOf(model: string, parentCallId?: string): string | null;
  /** Index of the next content block. */
  nextBlock(): number;
  /** The next block replaces those from this index on, because their answer was cut. Null: it replaces none. */
  replaceFrom(block: number | null): void;
  /** A call id unique in the task: the provider's id, unless another call has it. */
  callId(wanted: string): string;
  /** Adds to the turn's usage and emits a `usage` event. */
  spend(usage: ModelUsage): void;
  /** Asks the turn's human and waits for the answer. Repeated after a restart, a question maps to the same request. */
  ask(question: HumanRequest): Promise<HumanAnswer>;
  /** The product's hook. */
  readonly gate: ToolGate;
  /** Opens a call for the client and waits for its answer. Repeated after a restart, it is the same call. */
  callClient(call: ClientCall): Promise<ClientCallEnd>;
  /** Whether the event of a call was emitted, and not its result. */
  isAnnounced(callId: string): boolean;
  /** Begins work beside which open calls of the client do not let the turn wait. Returns the function that ends it. */
  work(): () => void;
  /** Whether a reader wants the arguments of calls while the model writes them. */
  wantsToolInput(): boolean;
  isWaitingForHuman(): boolean;
  /** Waits until no question is open: a turn does nothing else meanwhile. */
  humanWaitOver(): Promise<void>;
  note(entryType: WorkingMemoryEntryType, content: string): void;
  progress(): void;
  /** Whether the engine is stopping: no new step starts, and the turn resumes at the next start. */
  parking(): boolean;
  /**
   * A context for a nested loop: the same turn with its own conversation, which `message` opens. Under the same name,
   * the conversation resumes from its last stored step, also after a restart.
   */
  branch(name: string, message: string): TurnContext;
}
