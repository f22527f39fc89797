import type { AssistantContent, ToolOutcome } from "../model/model-provider.ts";
import type { CompactionRecord } from "./compaction-record.ts";
import type { PlacedMessage } from "./conversation-units.ts";
import type { ModelAnswer, RequestedCall } from "./model-answer.ts";

export type { AssistantContent, ToolOutcome } from "../model/model-provider.ts";
export type { CompactionRecord } from "./compaction-record.ts";
export type { PlacedMessage } from "./conversation-units.ts";

export interface StoredMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: unknown;
  /** What was recalled from memory for a user's message. */
  readonly recalled?: string;
}

/** A call that was asked for, and what became of it. */
export interface LoggedCall extends RequestedCall {
  /** Which answer of the turn asked for it, from 1 on. */
  readonly step: number;
  readonly progress:
    | { readonly kind: "planned" }
    /** It has begun to run, and nobody knows how it ended. */
    | { readonly kind: "started" }
    | { readonly kind: "finished"; readonly outcome: ToolOutcome };
}

/** What a loop has to do next. */
export type NextStep =
  | { readonly kind: "ask_model" }
  | { readonly kind: "settle_calls"; readonly calls: readonly LoggedCall[] }
  | { readonly kind: "done" };

/**
 * What a loop has done so far. Each step is stored as it is done, together with the events that tell it, so that an
 * engine that was killed between any two goes on with the next one. A turn that is over takes no more: every method
 * that writes throws then.
 */
export interface StepLog {
  next(): NextStep;
  /** Names the conversation among all of the engine's. */
  readonly conversation: string;
  /** The conversation as it is stored, with what came before this turn; without what only its summary shows. */
  messages(): readonly PlacedMessage[];
  /** Whether the turn is about to ask the model for the first time, and nothing of memory has been put to it. */
  readonly opensTurn: boolean;
  /** From now on the message that opened the turn is shown with this block behind it; its trust is the turn's at best. */
  recalled(block: string, trust: number): void;
  /** How it is shown; null when it was never made smaller. */
  compaction(): CompactionRecord | null;
  /** From now on it is shown so. */
  compacted(record: CompactionRecord): void;
  /** How many answers of the model this turn has. */
  readonly steps: number;
  /** The calls of answers whose results the model has been given. */
  settledCalls(): readonly LoggedCall[];
  answered(answer: Pick<ModelAnswer, "content" | "calls">): void;
  /** Before a call runs: from now on it may have taken effect. */
  started(callId: string, how: { readonly readOnly: boolean }): void;
  finished(outcome: ToolOutcome): void;
  /** The results of the last answer's calls as the model is to read them. */
  settled(results: readonly ToolOutcome[]): void;
  /** What was said of an answer that broke off: kept if the turn ends with it, and asked for again if the engine does. */
  brokeOff(content: readonly AssistantContent[]): void;
}
