import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { BlockSequence } from "./block-sequence.ts";
import type { ModelFamily } from "./model-family.ts";
import type { ModelFailure, ModelPart, ModelProvider, ModelRequest } from "./model-provider.ts";
import { readProviderError } from "./provider-error.ts";
import { failureOf } from "./provider-failure.ts";
import type { Headers } from "./rate-headers.ts";
import { type Finish, readFinish } from "./stream-finish.ts";
import { UnknownEvents } from "./unknown-events.ts";
import { Watchdog } from "./watchdog.ts";
import { WireWriter } from "./wire/wire-call.ts";
import { type RemoteProvider, wireRules } from "./wire/wire-rules.ts";

export interface AiSdkProviderParts {
  readonly name: RemoteProvider;
  /** Loads the provider's package, at the first call: engines that never speak to it do not carry it. */
  readonly load: () => Promise<ModelFamily>;
  readonly deadlines?: Deadlines;
  /** Told what the provider answered with, in words of its own about its limits. */
  readonly heard?: (request: ModelRequest, headers: Headers) => void;
}

/** How long a call may go without a sign of life: before the first, and between two. */
export interface Deadlines {
  readonly firstMs: number;
  readonly betweenMs: number;
}

const DEADLINES: Deadlines = { firstMs: 60_000, betweenMs: 120_000 };

/** A provider package of the AI SDK behind our seam. It retries nothing; the wrapper around it does. */
export function aiSdkProvider({
  name,
  load,
  deadlines = DEADLINES,
  heard = () => undefined,
}: AiSdkProviderParts): ModelProvider {
  const writer = new WireWriter();
  return {
    name,
    async *stream(request, signal) {
      const blocks = new BlockSequence();
      const unknown = new UnknownEvents();
      const watchdog = new Watchdog(signal);
      let restore = (part: ModelPart) => part;
      let finish: Finish = { reason: null, usage: null };
      let failure: ModelFailure = { ...UNASKED, message: `${name} broke off its answer` };
      try {
        watchdog.within(deadlines.firstMs);
        const family = await load();
        const wire = writer.write(request, wireRules(name, request.model), watchdog.signal);
        restore = wire.restore;
        const options = family.adapt(wire.options, request);
        const { stream, response } = await family.model(request.model).doStream(options);
        heard(request, response?.headers ?? {});
        for await (const part of partsOf(stream, watchdog.signal)) {
          watchdog.within(deadlines.betweenMs);
          if (!unknown.keeps(part)) continue;
          if (part.type === "error") throw part.error;
          if (part.type === "finish") finish = readFinish(unknown.finished(part));
          else for (const told of blocks.add(part)) yield restore(told);
        }
      } catch (error) {
        finish = { ...finish, reason: null };
        if (signal.aborted) failure = { kind: "aborted" };
        else if (watchdog.expired) failure = { ...UNASKED, message: `${name} fell silent` };
        else failure = failureOf(error, { provider: name, model: request.model, now: Date.now() });
        heard(request, readProviderError(error).headers);
      } finally {
        watchdog.end();
      }
      for (const told of finish.reason === null ? blocks.breakOff() : blocks.finish()) yield restore(told);
      yield finish.reason === null ? { kind: "failed", failure, usage: finish.usage } : { kind: "done", ...finish };
    },
  };
}

/** An end that nobody asked for and that says nothing about itself. */
const UNASKED = { kind: "transient", status: null, retryAfterS: null } as const;

async function* partsOf(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  abortSignal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  // A stream that does not heed its signal must not hold the turn: without its lock the read that waits is refused.
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
    // What could still fail here is a stream that nobody reads any more.
    stream.cancel().catch(() => undefined);
  }
}
