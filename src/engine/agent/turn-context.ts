import type { EngineEvent, HitlKind, WorkingMemoryEntryType } from "../../contract/engine-events.ts";

/** A question to the human of a turn, or a request for their leave. */
export interface HumanRequest {
  readonly kind: HitlKind;
  readonly toolCallId: string;
  readonly question: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly options: readonly string[];
  readonly allowFreeText: boolean;
}

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
  emit(event: Exclude<EngineEvent, { event: "heartbeat" }>): void;
  /** Asks the human of this turn and waits. */
  ask(question: HumanRequest): Promise<string>;
  note(entryType: WorkingMemoryEntryType, content: string): void;
  progress(): void;
}

/** A task's conversation as the loop reads and writes it. */
export interface Conversation {
  append(taskId: string, message: { turnId: string; role: "user" | "assistant" | "tool"; content: unknown }): void;
  ofTask(taskId: string): readonly { role: "user" | "assistant" | "tool"; content: unknown }[];
}
