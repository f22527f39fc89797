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

export type RecordCall = (call: CallTokens) => void;

/**
 * A provider whose calls are recorded, each try of its own, as soon as their usage is known. A call that ends without it
 * after parts of its answer, because it was cancelled or cut off, is estimated: the provider charges for it.
 */
export function meteredProvider(inner: ModelProvider, record: RecordCall): ModelProvider {
  return {
    name: inner.name,
    stream(request, signal) {
      const call = new MeteredCall(inner.name, request, record);
      return call.watch(inner.stream(request, signal));
    },
  };
}

class MeteredCall {
  readonly #provider: string;
  readonly #request: ModelRequest;
  readonly #record: RecordCall;
  /** Characters of the answer. */
  #answer = 0;
  #hasParts = false;
  #isOver = false;

  constructor(provider: string, request: ModelRequest, record: RecordCall) {
    this.#provider = provider;
    this.#request = request;
    this.#record = record;
  }

  /** Not an async generator: that would cost each of thousands of parts a second round of promises. */
  watch(stream: AsyncIterable<ModelPart>): AsyncIterable<ModelPart> {
    const parts = stream[Symbol.asyncIterator]();
    const see = (result: IteratorResult<ModelPart>) => {
      if (result.done !== true) this.#see(result.value);
      return result;
    };
    const iterator = {
      next: () =>
        parts.next().then(see, (error: unknown) => {
          this.#end(null);
          throw error;
        }),
      return: async () => {
        this.#end(null);
        await parts.return?.();
        return { done: true, value: undefined } as const;
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }

  #see(part: ModelPart): void {
    if (part.kind === "done" || part.kind === "failed") return this.#end(part.usage);
    this.#hasParts = true;
    if (part.kind === "text" || part.kind === "thinking") this.#answer += part.text.length;
    if (part.kind === "tool_use") this.#answer += part.rawInput.length;
  }

  #end(reported: ModelUsage | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const call = { provider: this.#provider, model: this.#request.model };
    if (reported !== null) {
      const { inputTokens: input, outputTokens: output, cacheHitTokens } = sanitizeUsage(reported);
      // Of a provider that counts its cache apart from the input, the parts would exceed the whole.
      const cacheRead = Math.min(cacheHitTokens, input);
      const cacheWrite = Math.min(countOf(reported.cacheWriteTokens), input - cacheRead);
      this.#record({ ...call, input, output, cacheRead, cacheWrite, isEstimate: false });
    } else if (this.#hasParts) {
      const [input, output] = [requestTokens(this.#request), charactersAsTokens(this.#answer)];
      this.#record({ ...call, input, output, cacheRead: 0, cacheWrite: 0, isEstimate: true });
    }
  }
}
