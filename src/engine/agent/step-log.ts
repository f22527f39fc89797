import type { AssistantContent, ModelFailure, ModelUsage, ToolOutcome } from "../model/model-provider.ts";
import type { CompactionRecord } from "./compaction-record.ts";
import type { MessageRow } from "./conversation.ts";

export type { AssistantContent, ToolOutcome } from "../model/model-provider.ts";
export type { CompactionRecord } from "./compaction-record.ts";
export type { MessageRow, StoredMessage } from "./conversation.ts";

/** A requested tool call. `input` is null when its JSON was invalid; `rawInput` then has the text. */
export interface RequestedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly rawInput: string;
}

export interface ModelAnswer {
  readonly content: readonly AssistantContent[];
  readonly calls: readonly RequestedCall[];
  readonly usage: ModelUsage | null;
  readonly failure: ModelFailure | null;
  /** Whether any of it was shown. */
  readonly hasOutput: boolean;
}

/** A requested call and its progress. */
export interface LoggedCall extends RequestedCall {
  /** The answer of the turn that requested it, from 1. */
  readonly step: number;
  readonly progress:
    | { readonly kind: "planned" }
    /** It may have taken effect; its outcome is unknown. */
    | { readonly kind: "started" }
    | { readonly kind: "finished"; readonly outcome: ToolOutcome };
}

export type NextStep =
  | { readonly kind: "ask_model" }
  | { readonly kind: "settle_calls"; readonly calls: readonly LoggedCall[] }
  | { readonly kind: "done" };

/**
 * The stored progress of a loop. Each step is stored in one transaction with its events, so a killed engine resumes at
 * the next step. After the turn has ended, every method that writes throws.
 */
export interface StepLog {
  next(): NextStep;
  /** Identifies the conversation within the engine. */
  readonly conversation: string;
  /** The stored conversation, earlier turns included, without messages that a summary replaces. */
  messages(): readonly MessageRow[];
  /** Whether the turn has had neither a model call nor a recall. */
  readonly opensTurn: boolean;
  /** Turns that a rewind took from the conversation, and of which it has no answer. */
  rewoundTurns(): ReadonlySet<string>;
  /** Stores the recalled block that is shown after the turn's message. `trust` limits the trust of the turn. */
  recalled(block: string, trust: number): void;
  /** The current compaction record; null when the conversation was never compacted. */
  compaction(): CompactionRecord | null;
  /** Stores a new compaction record and emits its event. */
  compacted(record: CompactionRecord): void;
  /** Names of the tools that the conversation has loaded, in this order. */
  loadedTools(): readonly string[];
  /** Loads tools for the rest of the conversation. */
  load(tools: readonly string[]): void;
  /** Number of model answers in this turn. */
  readonly steps: number;
  /** Calls whose results the model has already received. */
  settledCalls(): readonly LoggedCall[];
  answered(answer: Pick<ModelAnswer, "content" | "calls">): void;
  /** To be called before a call runs: from now on it may have taken effect. */
  started(callId: string, how: { readonly readOnly: boolean }): void;
  finished(outcome: ToolOutcome): void;
  /** Stores the results of the last answer's calls as the model will see them. */
  settled(results: readonly ToolOutcome[]): void;
  /** Moves the messages that wait for this turn into the conversation. To be called before a model call. */
  takeMessages(): void;
  /** Stores the partial content of an answer that a message interrupts, `why` its calls do not run, and the message. */
  cutOff(content: readonly AssistantContent[], why: string): void;
  /** The result that the model has submitted; null before that. */
  result(): Readonly<Record<string, unknown>> | null;
  /** Why the model has failed to submit a result: one text for each invalid result, and for each end without one. */
  failedResults(): readonly string[];
  /** Stores what the engine asks of the model after its answer. */
  asked(text: string): void;
  /** Keeps the partial content of a failed answer. It is stored only if the turn ends with it. */
  brokeOff(content: readonly AssistantContent[]): void;
}
