import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { FinishReason, ModelUsage } from "./model-provider.ts";

/** What a provider said at the end of a stream. */
export type Finish =
  | { readonly reason: FinishReason; readonly usage: ModelUsage }
  /** It did not say that the answer is whole: the stream was cut, however cleanly. */
  | { readonly reason: null; readonly usage: ModelUsage | null };

/** `usage` is the provider's total of the call: it is taken as it is, never added up. */
export function readFinish({
  finishReason,
  usage: told,
}: Extract<LanguageModelV4StreamPart, { type: "finish" }>): Finish {
  const usage = readUsage(told);
  const interrupted: Finish = { reason: null, usage: told.inputTokens.total === undefined ? null : usage };
  switch (finishReason.unified) {
    case "stop":
    case "length":
      return { reason: finishReason.unified, usage };
    case "other":
      // Some packages begin with it, and end with it when the stream was cut before it said why it ends.
      return finishReason.raw === undefined ? interrupted : { reason: "other", usage };
    case "tool-calls":
      return { reason: "tool_use", usage };
    case "content-filter":
      return { reason: "refused", usage };
    case "error":
    case "interrupted":
      return interrupted;
    default:
      return finishReason.unified satisfies never;
  }
}

const readUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelUsage => ({
  inputTokens: inputTokens.total ?? 0,
  outputTokens: outputTokens.total ?? 0,
  cacheHitTokens: inputTokens.cacheRead ?? 0,
});
