import type { AssistantContent, ModelFailure, ModelUsage } from "../model/model-provider.ts";

/** A tool call the model asked for; `input` is null when its JSON was broken, and `rawInput` then has it. */
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
}
