import type { EngineEvent, HitlKind, WorkingMemoryEntryType } from "../../contract/engine-events.ts";
import type { ModelUsage } from "../model/model-provider.ts";
import type { StepLog } from "./step-log.ts";

export type { ModelUsage } from "../model/model-provider.ts";

/** A question to the human of a turn, or a request for their leave. */
export interface HumanRequest {
  readonly kind: HitlKind;
  readonly toolCallId: string;
  readonly question: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly options: readonly string[];
  readonly allowFreeText: boolean;
  /** Withdraws it. */
  readonly signal?: AbortSignal;
}

export type HumanAnswer =
  | { readonly kind: "answered"; readonly answer: string }
  /** Nobody answered in time, which never means yes. */
  | { readonly kind: "expired" };

/** What the loop knows of the turn it runs in: functions handed down, nothing of stores or streams. */
export interface TurnContext {
  readonly taskId: string;
  readonly turnId: string;
  /** Name of the catalog's agent that answers. */
  readonly agent: string;
  /** Aborted by cancel, expiry or drain. */
  readonly signal: AbortSignal;
  readonly thinking: boolean;
  readonly maxSteps: number;
  readonly log: StepLog;
  emit(event: Exclude<EngineEvent, { event: "heartbeat" }>): void;
  /** The index of a content block that begins now. */
  nextBlock(): number;
  /** The id by which a call is known in the task: the provider's, unless another call has it. */
  callId(wanted: string): string;
  /** Adds to what the turn has used so far, and tells it. */
  spend(usage: ModelUsage): void;
  /** Asks the human of this turn and waits. Asked again after a restart, the same question is still the same request. */
  ask(question: HumanRequest): Promise<HumanAnswer>;
  /** Whether a person is asked now. */
  isAsking(): boolean;
  /** Waits until nobody is asked: nothing else of a turn goes on while a question is open. */
  quiet(): Promise<void>;
  note(entryType: WorkingMemoryEntryType, content: string): void;
  progress(): void;
  /** The engine is about to stop: nothing more is begun, the turn goes on from here at the next start. */
  parking(): boolean;
  /**
   * For a loop inside this turn: the same turn with a conversation of its own, which `message` opens. Under the same
   * name it goes on, after a restart as well, from its last stored step.
   */
  branch(name: string, message: string): TurnContext;
}
