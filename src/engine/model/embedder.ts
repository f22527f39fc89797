import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { textTokens } from "./context-window.ts";
import type { CallMeter, CallTokens } from "./metered-provider.ts";
import { countOf } from "./model-usage.ts";
import { readProviderError } from "./provider-error.ts";
import { failureOf } from "./provider-failure.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** Embedding model for vector search. */
export interface Embedder {
  readonly model: string;
  /** Texts in one call. */
  readonly batchSize: number;
  /** One vector for each text, in order. Throws `EmbeddingRefused`, also while the rate limiter is closed. */
  embed(texts: readonly string[], how: EmbedCall): Promise<readonly (readonly number[])[]>;
}

interface EmbedCall {
  readonly priority: "interactive" | "background";
  readonly signal: AbortSignal;
}

class EmbeddingRefused extends Error {
  override readonly name = "EmbeddingRefused";
}

const BATCH_SIZE = 32;
const CLOSED_AFTER_429_MS = 30_000;

/** An embedder over the provider's package that shares the engine's rate limiter. It does not retry. */
export function createEmbedder({
  provider,
  model,
  open,
  limiter,
  meter,
}: {
  readonly provider: string;
  readonly model: string;
  readonly open: () => Promise<EmbeddingModelV4>;
  readonly limiter: RateLimiter;
  readonly meter: CallMeter;
}): Embedder {
  return {
    model,
    batchSize: BATCH_SIZE,
    async embed(texts, { priority, signal }) {
      const opened = await open();
      const now = performance.now();
      const closedMs =
        priority === "background" ? limiter.closedToBackgroundMs(model, now) : limiter.closedForMs(model, now);
      if (closedMs > 0)
        throw new EmbeddingRefused(`${model} is rate-limited; retry in ${Math.ceil(closedMs / 1000)} s`);
      const input = () => estimatedTokens(texts);
      const admission = await meter.admit({ provider, model, input, output: 0 }, signal);
      if (admission.kind === "refused") throw new EmbeddingRefused(admission.refusal.message);
      try {
        const { embeddings, usage } = await opened.doEmbed({ values: [...texts], abortSignal: signal });
        meter.record({ provider, model, ...inputOnly(texts, usage?.tokens) });
        if (embeddings.length !== texts.length)
          throw new EmbeddingRefused(`${model} returned ${embeddings.length} vectors for ${texts.length} texts`);
        return embeddings;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EmbeddingRefused) throw error;
        if (readProviderError(error).status === 429) limiter.close(model, performance.now() + CLOSED_AFTER_429_MS);
        // The original error holds the texts and the response, which must not be logged.
        const failure = failureOf(error, { provider, model, now: Date.now() });
        throw new EmbeddingRefused(failure.kind === "aborted" ? "aborted" : failure.message);
      } finally {
        admission.release();
      }
    },
  };
}

/** The tokens of a call, estimated when the provider does not report them. */
function inputOnly(texts: readonly string[], reported: number | undefined): Omit<CallTokens, "provider" | "model"> {
  const input = countOf(reported) || estimatedTokens(texts);
  return { input, output: 0, cacheRead: 0, cacheWrite: 0, isEstimate: countOf(reported) === 0 };
}

const estimatedTokens = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + textTokens(text), 0);
