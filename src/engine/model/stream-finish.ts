import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { FinishReason, ModelUsage } from "./model-provider.ts";

/** Finish reason and usage of a stream. */
export type Finish =
  | { readonly reason: FinishReason; readonly usage: ModelUsage }
  /** The stream ended without a finish reason: the answer is incomplete. */
  | { readonly reason: null; readonly usage: ModelUsage | null };

/** `usage` is the provider's total of the call; never sum it. */
export function readFinish({
  finishReason,
  usage: reported,
}: Extract<LanguageModelV4StreamPart, { type: "finish" }>): Finish {
  const usage = readUsage(reported);
  const interrupted: Finish = { reason: null, usage: reported.inputTokens.total === undefined ? null : usage };
  switch (finishReason.unified) {
    case "stop":
    case "length":
      return { reason: finishReason.unified, usage };
    case "other":
      // Some packages report it for a stream that was cut before its finish reason.
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
