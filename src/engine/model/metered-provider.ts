import { charactersAsTokens, requestTokens } from "./context-window.ts";
import type { ModelPart, ModelProvider, ModelRequest, ModelUsage } from "./model-provider.ts";
import { countOf, sanitizeUsage } from "./model-usage.ts";

/** Tokens of one call, as the provider reports them or estimated. */
export interface CallTokens {
  readonly provider: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly isEstimate: boolean;
}

/** Admits calls and records their usage. */
export interface CallMeter {
  /** `input` estimates tokens only when it is called; `output` is the maximum. */
  admit(
    call: Pick<CallTokens, "provider" | "model" | "output"> & { readonly input: () => number },
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: "admitted"; release(): void }
    | {
        readonly kind: "refused";
        readonly refusal: { readonly message: string; readonly details: Readonly<Record<string, unknown>> };
      }
  >;
  record(call: CallTokens): void;
  /** Whether a budget binds the engine. */
  hasBudgets(): boolean;
}

/** Admits every call and records none. */
export const NO_METER: CallMeter = {
  admit: () => Promise.resolve({ kind: "admitted", release: () => undefined }),
  record: () => undefined,
  hasBudgets: () => false,
};

/**
 * A provider that admits each attempt of a call and records its usage at its end. The usage of a cancelled or interrupted
 * answer is estimated, because the provider charges for it.
 */
export function meteredProvider(inner: ModelProvider, meter: CallMeter): ModelProvider {
  return {
    name: inner.name,
    stream: (request, signal) => new MeteredCall(inner, { request, signal, meter }).parts(),
  };
}

interface Call {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly meter: CallMeter;
}

class MeteredCall {
  readonly #inner: ModelProvider;
  readonly #call: Call;
  #stream: AsyncIterator<ModelPart> | null = null;
  #release: () => void = () => undefined;
  /** Characters of the answer. */
  #answerLength = 0;
  #hasParts = false;
  #isOver = false;

  constructor(inner: ModelProvider, call: Call) {
    this.#inner = inner;
    this.#call = call;
  }

  /** A plain iterator: an async generator would add promises to each of thousands of parts. */
  parts(): AsyncIterable<ModelPart> {
    const track = (result: IteratorResult<ModelPart>) => {
      if (result.done !== true) this.#track(result.value);
      return result;
    };
    const fail = (error: unknown) => {
      this.#end(null);
      throw error;
    };
    const iterator = {
      next: () => (this.#stream === null ? this.#first() : this.#stream.next()).then(track, fail),
      return: async () => {
        this.#end(null);
        await this.#stream?.return?.();
        return { done: true, value: undefined } as const;
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }

  async #first(): Promise<IteratorResult<ModelPart>> {
    if (this.#isOver) return { done: true, value: undefined };
    const { request, signal, meter } = this.#call;
    const { model, maxOutputTokens: output } = request;
    const input = () => requestTokens(request);
    const admission = await meter.admit({ provider: this.#inner.name, model, input, output }, signal);
    if (admission.kind === "refused") {
      const failure = { kind: "over_budget", ...admission.refusal } as const;
      return { done: false, value: { kind: "failed", failure, usage: null } };
    }
    this.#release = () => admission.release();
    this.#stream = this.#inner.stream(request, signal)[Symbol.asyncIterator]();
    return this.#stream.next();
  }

  #track(part: ModelPart): void {
    if (part.kind === "done" || part.kind === "failed") return this.#end(part.usage);
    this.#hasParts = true;
    if (part.kind === "text" || part.kind === "thinking") this.#answerLength += part.text.length;
    if (part.kind === "tool_use") this.#answerLength += part.rawInput.length;
  }

  #end(reported: ModelUsage | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const spent = this.#spent(reported);
    if (spent !== null) this.#call.meter.record(spent);
    this.#release();
  }

  #spent(reported: ModelUsage | null): CallTokens | null {
    const { request } = this.#call;
    const call = { provider: this.#inner.name, model: request.model };
    if (reported !== null) {
      const { inputTokens: input, outputTokens: output, cacheHitTokens } = sanitizeUsage(reported);
      // With a provider that does not count cached tokens as input, the parts would exceed the total.
      const cacheRead = Math.min(cacheHitTokens, input);
      const cacheWrite = Math.min(countOf(reported.cacheWriteTokens), input - cacheRead);
      return { ...call, input, output, cacheRead, cacheWrite, isEstimate: false };
    }
    if (!this.#hasParts) return null;
    const [input, output] = [requestTokens(request), charactersAsTokens(this.#answerLength)];
    return { ...call, input, output, cacheRead: 0, cacheWrite: 0, isEstimate: true };
  }
}
