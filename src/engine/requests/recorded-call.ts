import type { AsyncLocalStorage } from "node:async_hooks";
import type { ModelRequestSummary } from "../../contract/engine/turn.ts";
import { isoTime } from "../../shared/clock.ts";
import type { CallRecording, RecordedEnd } from "../model/call-recorder.ts";
import { contextParts } from "../model/context-parts.ts";
import type { ModelRequest, ModelUsage } from "../model/model-provider.ts";
import { countOf, sanitizeUsage } from "../model/model-usage.ts";
import { type StoredRequest, NOT_SENT, type SentRequest, storedBody, storedRequest } from "./sent-request.ts";

/** A call that has ended, to be stored. */
export interface EndedCall {
  readonly turnId: string;
  /** About how many characters it holds in memory. */
  readonly length: number;
  summary(): Omit<ModelRequestSummary, "number">;
  request(): StoredRequest;
}

export interface RecordedCallParts {
  readonly calls: AsyncLocalStorage<RecordedCall>;
  readonly secrets: readonly string[];
  /** Context window in tokens of `provider:model`. */
  readonly windowOf: (model: string) => number;
  readonly ended: (call: EndedCall) => void;
}

/** A longer body has files, whose bytes are dropped at once. */
const SHRINK_ABOVE = 256 * 1024;

/** The record of one call. Nothing is counted, copied or compressed before the call has ended. */
export class RecordedCall implements CallRecording {
  readonly #parts: RecordedCallParts;
  readonly #provider: string;
  readonly #request: ModelRequest;
  readonly #startedAt = Date.now();
  #tries = 0;
  #sent: SentRequest | StoredRequest | null = null;

  constructor(parts: RecordedCallParts, provider: string, request: ModelRequest) {
    this.#parts = parts;
    this.#provider = provider;
    this.#request = request;
  }

  within<T>(run: () => T): T {
    return this.#parts.calls.run(this, run);
  }

  /** Only the last attempt is kept. */
  sent(request: SentRequest): void {
    this.#tries++;
    this.#sent = request;
    if (request.body.length <= SHRINK_ABOVE) return;
    // Takes milliseconds, so the request is sent first.
    setImmediate(() => {
      if (this.#sent === request) this.#sent = storedRequest(request, this.#parts.secrets);
    });
  }

  end(end: RecordedEnd): void {
    const { scope } = this.#request;
    this.#parts.ended({
      turnId: scope?.turnId ?? "",
      length: this.#sent?.body?.length ?? 0,
      summary: () => this.#summary(end),
      request: () => this.#kept(),
    });
  }

  #summary({ outcome, reason, usage, tookMs, firstMs }: RecordedEnd): Omit<ModelRequestSummary, "number"> {
    const { model, purpose, scope, maxOutputTokens } = this.#request;
    const counted = usage === null ? null : shownUsage(usage);
    // Some servers report 0.
    const input = counted?.input_tokens || null;
    return {
      agent: scope?.agent ?? "",
      purpose: purpose === "summary" ? "summary" : "turn",
      provider: this.#provider,
      model,
      started_at: isoTime(this.#startedAt),
      duration_ms: Math.round(tookMs),
      first_token_ms: firstMs === null ? null : Math.round(firstMs),
      tries: this.#isSandbox ? 1 : this.#tries,
      outcome,
      reason,
      usage: counted,
      cache_share: input === null || counted === null ? null : Math.min(counted.cache_hit_tokens / input, 1),
      context: {
        parts: contextParts(this.#request, input),
        is_estimate: input === null,
        answer_reserve: maxOutputTokens,
        window: this.#parts.windowOf(`${this.#provider}:${model}`),
      },
    };
  }

  #kept(): StoredRequest {
    const { secrets } = this.#parts;
    const sent = this.#sent;
    if (sent === null) return this.#isSandbox ? { ...NOT_SENT, ...storedBody(this.#asJson(), secrets) } : NOT_SENT;
    return "url" in sent ? storedRequest(sent, secrets) : sent;
  }

  /** The sandbox model sends no HTTP request, so its `ModelRequest` is recorded. */
  get #isSandbox(): boolean {
    return this.#provider === "sandbox";
  }

  #asJson(): string {
    const { model, system, tools, messages, thinking, maxOutputTokens } = this.#request;
    return JSON.stringify({ model, max_output_tokens: maxOutputTokens, thinking, system, tools, messages });
  }
}

function shownUsage(usage: ModelUsage) {
  const { inputTokens, outputTokens, cacheHitTokens } = sanitizeUsage(usage);
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_hit_tokens: cacheHitTokens,
    cache_write_tokens: countOf(usage.cacheWriteTokens),
  };
}
