import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import type { ModelRequest } from "./model-provider.ts";
import { readProviderError } from "./provider-error.ts";
import { failureOf } from "./provider-failure.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** Turns texts into vectors: those of texts that mean the like lie close. */
export interface Embedder {
  readonly model: string;
  /** How many texts one call takes. */
  readonly atOnce: number;
  /**
   * In the order of the texts. Throws what failed, in our words. A call that nobody waits for is not made while the
   * provider's limit is reached or turns wait for it.
   */
  embed(texts: readonly string[], how: EmbedCall): Promise<readonly (readonly number[])[]>;
}

export interface EmbedCall {
  readonly priority: "interactive" | "background";
  readonly signal: AbortSignal;
}

export class EmbeddingRefused extends Error {
  override readonly name = "EmbeddingRefused";
}

const AT_ONCE = 32;
const CLOSED_AFTER_429_MS = 30_000;

/** By the provider's package, within the limits that the engine's other calls keep to. Nothing is tried again here. */
export function createEmbedder({
  provider,
  model,
  open,
  limiter,
}: {
  readonly provider: string;
  readonly model: string;
  readonly open: () => Promise<EmbeddingModelV4>;
  readonly limiter: RateLimiter;
}): Embedder {
  return {
    model,
    atOnce: AT_ONCE,
    async embed(texts, { priority, signal }) {
      const opened = await open();
      const request: ModelRequest = {
        model,
        system: "",
        messages: texts.map((text) => ({ role: "user", text })),
        tools: [],
        thinking: false,
        maxOutputTokens: 0,
        priority,
      };
      const now = Date.now();
      const isBackground = priority === "background";
      const waitMs =
        limiter.gate.waitMs(model, now) ||
        (isBackground ? limiter.reserveSpare(request, now) : limiter.reserve(request, now));
      let made = false;
      try {
        if (waitMs > 0)
          throw new EmbeddingRefused(`the limit of ${model} is reached for ${Math.ceil(waitMs / 1000)} s`);
        made = true;
        const { embeddings, response } = await opened.doEmbed({ values: [...texts], abortSignal: signal });
        limiter.heard(request, response?.headers ?? {}, Date.now());
        if (embeddings.length !== texts.length) throw new EmbeddingRefused(`${model} gave another number of vectors`);
        return embeddings;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EmbeddingRefused) throw error;
        if (readProviderError(error).status === 429) limiter.gate.close(model, Date.now() + CLOSED_AFTER_429_MS);
        // What was thrown holds the texts and the answer, and would be logged with them.
        const failure = failureOf(error, { provider, model, now: Date.now() });
        throw new EmbeddingRefused(failure.kind === "aborted" ? "aborted" : failure.message);
      } finally {
        limiter.over(request, { made, nowMs: Date.now() });
      }
    },
  };
}
