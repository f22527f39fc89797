import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { isRecord } from "../../shared/json-values.ts";

type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;
type Reason = FinishPart["finishReason"]["unified"];

/**
 * Filters events that a provider package does not know: providers add events and block types and expect clients to
 * ignore them. The package reports each as a validation error after the raw event.
 */
export class UnknownEvents {
  #raw: Readonly<Record<string, unknown>> = {};
  #ignoredAny = false;
  #calls = 0;
  /** The finish reason of the raw events. */
  #rawReason: string | null = null;
  /** Ids of blocks that started with an unknown event. */
  readonly #blocks = new Set<string>();

  /** False for parts to skip. */
  accepts(part: LanguageModelV4StreamPart): boolean {
    if (part.type === "raw") {
      this.#raw = isRecord(part.rawValue) ? part.rawValue : {};
      this.#rawReason = rawReasonOf(this.#raw) ?? this.#rawReason;
    }
    if (part.type === "tool-call") this.#calls++;
    if (part.type === "error" && this.#isUnknown(part.error)) {
      this.#ignoredAny = true;
      if (this.#raw["type"] === "content_block_start") this.#blocks.add(String(this.#raw["index"]));
      return false;
    }
    return !("id" in part && this.#blocks.has(part.id));
  }

  /** Some packages finish with an error after an unknown event; this restores the provider's finish reason. */
  finished(part: FinishPart): FinishPart {
    if (!this.#ignoredAny || part.finishReason.unified !== "error" || this.#rawReason === null) return part;
    return { ...part, finishReason: { unified: reasonOf(this.#rawReason, this.#calls), raw: this.#rawReason } };
  }

  #isUnknown(error: unknown): boolean {
    const isMismatch = isRecord(error) && error["name"] === "AI_TypeValidationError";
    const { type } = this.#raw;
    return isMismatch && !("error" in this.#raw) && type !== "error" && type !== "response.failed";
  }
}

/** The finish reason in a raw event of OpenAI, a compatible server or Bedrock. */
function rawReasonOf({ type, response, choices, messageStop }: Readonly<Record<string, unknown>>): string | null {
  const details = isRecord(response) && isRecord(response["incomplete_details"]) ? response["incomplete_details"] : {};
  if (type === "response.completed") return "stop";
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const reason =
    (type === "response.incomplete" ? details["reason"] : undefined) ??
    (isRecord(choice) ? choice["finish_reason"] : undefined) ??
    (isRecord(messageStop) ? messageStop["stopReason"] : undefined);
  return typeof reason === "string" ? reason : null;
}

function reasonOf(raw: string, calls: number): Reason {
  if (/length|max_/.test(raw)) return "length";
  if (/filter|guardrail/.test(raw)) return "content-filter";
  if (/tool|function/.test(raw) || calls > 0) return "tool-calls";
  return /stop|end_turn/.test(raw) ? "stop" : "other";
}
