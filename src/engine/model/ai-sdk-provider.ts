import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { refusalBehind } from "./broker-fetch.ts";
import { BlockSequence } from "./block-sequence.ts";
import type { ModelFamily } from "./model-family.ts";
import type { FinishReason, ModelFailure, ModelPart, ModelProvider, ModelUsage } from "./model-provider.ts";
import { type UpstreamSettings, failureOf } from "./provider-failure.ts";
import { UnknownEvents } from "./unknown-events.ts";
import { WireWriter } from "./wire/wire-call.ts";
import { type RemoteProvider, wireRules } from "./wire/wire-rules.ts";

interface AiSdkProviderParts {
  readonly name: RemoteProvider;
  /** Loads the provider's package at the first call. */
  readonly load: () => Promise<ModelFamily>;
  readonly deadlines?: Deadlines;
  /** For messages. Default: those of `LLM_PROVIDER`. */
  readonly settings?: UpstreamSettings | undefined;
}

/** Idle timeouts of a stream: before the first part, and between two parts. */
export interface Deadlines {
  readonly firstMs: number;
  readonly betweenMs: number;
}

const DEADLINES: Deadlines = { firstMs: 60_000, betweenMs: 120_000 };

/** Finish reason and usage of a stream. */
type Finish =
  | { readonly reason: FinishReason; readonly usage: ModelUsage }
  /** The stream ended without a finish reason: the answer is incomplete. */
  | { readonly reason: null; readonly usage: ModelUsage | null };

/** A `ModelProvider` over an AI SDK provider package. `retryingProvider` retries; this does not. */
export function aiSdkProvider({ name, load, deadlines = DEADLINES, settings }: AiSdkProviderParts): ModelProvider {
  const writer = new WireWriter();
  return {
    name,
    async *stream(request, signal) {
      const blocks = new BlockSequence();
      const unknown = new UnknownEvents();
      const watchdog = new Watchdog(signal);
      let restore = (part: ModelPart) => part;
      let finish: Finish = { reason: null, usage: null };
      let failure: ModelFailure = { ...UNEXPECTED_END, message: `${name} ended its answer early` };
      try {
        watchdog.within(deadlines.firstMs);
        const family = await load();
        const wire = writer.write(request, wireRules(name, request.model), watchdog.signal);
        restore = wire.restore;
        const options = family.adapt(wire.options, request);
        const { stream } = await family.model(request.model).doStream(options);
        for await (const part of partsOf(stream, watchdog.signal)) {
          watchdog.within(deadlines.betweenMs);
          if (!unknown.accepts(part)) continue;
          if (part.type === "error") throw part.error;
          if (part.type === "finish") finish = readFinish(unknown.finished(part));
          else for (const block of blocks.add(part)) yield restore(block);
        }
      } catch (error) {
        finish = { ...finish, reason: null };
        const refusal = refusalBehind(error);
        if (signal.aborted) failure = { kind: "aborted" };
        else if (refusal !== null) failure = { kind: "over_budget", ...refusal };
        else if (watchdog.expired)
          failure = { ...UNEXPECTED_END, message: `${name} stopped responding`, isTimeout: true };
        else failure = failureOf(error, { provider: name, model: request.model, now: Date.now(), settings });
      } finally {
        watchdog.end();
      }
      for (const block of finish.reason === null ? blocks.abort() : blocks.finish()) yield restore(block);
      yield finish.reason === null ? { kind: "failed", failure, usage: finish.usage } : { kind: "done", ...finish };
    },
  };
}

/** The stream ended without a finish part and without an error. */
const UNEXPECTED_END = { kind: "transient", status: null, retryAfterS: null } as const;

async function* partsOf(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  abortSignal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  // Releasing the lock rejects a pending read, in case the stream ignores its signal.
  const abort = () => reader.releaseLock();
  abortSignal.addEventListener("abort", abort, { once: true });
  try {
    abortSignal.throwIfAborted();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    abortSignal.removeEventListener("abort", abort);
    reader.releaseLock();
    // Best effort: the stream has no reader any more.
    stream.cancel().catch(() => undefined);
  }
}

/** `usage` is the provider's total of the call; never sum it. */
function readFinish({ finishReason, usage: reported }: Extract<LanguageModelV4StreamPart, { type: "finish" }>): Finish {
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
  ...(inputTokens.cacheWrite !== undefined && { cacheWriteTokens: inputTokens.cacheWrite }),
});

/** Idle timeout: its signal aborts when the deadline passes, or with the outer signal. */
class Watchdog {
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #ms = 0;
  #expired = false;

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#abort.signal]);
  }

  get expired(): boolean {
    return this.#expired;
  }

  /** Restarts the deadline. */
  within(ms: number): void {
    if (ms === this.#ms) {
      this.#timer?.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#ms = ms;
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#abort.abort(new Error(`no data for ${ms} ms`));
    }, ms).unref();
  }

  /** Ends the watch and aborts what still runs, including the socket. */
  end(): void {
    clearTimeout(this.#timer);
    this.#abort.abort(new Error("the call has ended"));
  }
}
