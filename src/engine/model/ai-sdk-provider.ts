import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { BlockSequence } from "./block-sequence.ts";
import type { ModelFamily } from "./model-family.ts";
import type { ModelFailure, ModelPart, ModelProvider } from "./model-provider.ts";
import { failureOf } from "./provider-failure.ts";
import { type Finish, readFinish } from "./stream-finish.ts";
import { UnknownEvents } from "./unknown-events.ts";
import { Watchdog } from "./watchdog.ts";
import { WireWriter } from "./wire/wire-call.ts";
import { type RemoteProvider, wireRules } from "./wire/wire-rules.ts";

export interface AiSdkProviderParts {
  readonly name: RemoteProvider;
  /** Loads the provider's package at the first call. */
  readonly load: () => Promise<ModelFamily>;
  readonly deadlines?: Deadlines;
}

/** Idle timeouts of a stream: before the first part, and between two parts. */
export interface Deadlines {
  readonly firstMs: number;
  readonly betweenMs: number;
}

const DEADLINES: Deadlines = { firstMs: 60_000, betweenMs: 120_000 };

/** A `ModelProvider` over an AI SDK provider package. `retryingProvider` retries; this does not. */
export function aiSdkProvider({ name, load, deadlines = DEADLINES }: AiSdkProviderParts): ModelProvider {
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
        if (signal.aborted) failure = { kind: "aborted" };
        else if (watchdog.expired) failure = { ...UNEXPECTED_END, message: `${name} stopped responding` };
        else failure = failureOf(error, { provider: name, model: request.model, now: Date.now() });
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
    // Best effort: nobody reads the stream any more.
    stream.cancel().catch(() => undefined);
  }
}
