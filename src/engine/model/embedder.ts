import { isCallKey } from "../../contract/broker/call-key.ts";
import { retryAfterSeconds } from "../../contract/broker/provider-limits.ts";
import { EMBEDDINGS, type EmbeddingsEndpoint } from "../../contract/settings/embeddings-endpoint.ts";
import { brokerFetch, refusalBehind } from "./broker-fetch.ts";
import { textTokens } from "./context-window.ts";
import type { CallMeter } from "./metered-provider.ts";
import { countOf } from "./model-usage.ts";
import { readProviderError } from "./provider-error.ts";
import { trustCertificates } from "./trust-certificates.ts";

/** Makes vectors of texts. */
export interface Embedder {
  readonly model: string;
  /** One vector for each text, in order. Throws `EmbeddingFailed`. It does not retry. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
}

/** The message is ours: that of the endpoint may quote the texts, which must not be logged. */
export class EmbeddingFailed extends Error {
  override readonly name = "EmbeddingFailed";
  /** Whether these texts are the reason, such as one that is too long. */
  readonly isOfTexts: boolean;
  /** Null when the endpoint does not say it. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { isOfTexts = false, retryAfterMs = null as number | null } = {}) {
    super(message);
    this.isOfTexts = isOfTexts;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Statuses of a request whose texts are refused. */
const TEXTS_REFUSED: readonly number[] = [400, 413, 422];
/** In the ledger, as the broker counts it. */
const PROVIDER = "openai-compatible";

/**
 * The endpoint of the protocol that OpenAI's has and others share. A request of it is one `fetch`, for which no engine loads a
 * provider's package.
 */
export function createEmbedder(
  { url, model, apiKey }: EmbeddingsEndpoint,
  { meter, extraCaCerts }: { readonly meter: CallMeter; readonly extraCaCerts: string | null },
): Embedder {
  const isBrokered = isCallKey(apiKey);
  const send = isBrokered ? brokerFetch(globalThis.fetch, () => meter.hasBudgets()) : globalThis.fetch;
  const address = `${url.replace(/\/+$/, "")}/embeddings`;
  const headers = {
    "content-type": "application/json",
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };

  async function call(texts: readonly string[], signal: AbortSignal): Promise<unknown> {
    if (extraCaCerts !== null && !isBrokered) await trustCertificates(extraCaCerts);
    const body = JSON.stringify({ model, input: texts, encoding_format: "float" });
    const response = await send(address, { method: "POST", headers, body, signal, redirect: "error" });
    if (response.ok) return response.json();
    const text = await response.text();
    const retryAfterS = retryAfterSeconds({
      headers: Object.fromEntries(response.headers),
      body: text,
      now: Date.now(),
    });
    throw new EmbeddingFailed(`the embeddings endpoint answered ${response.status}${advice(response.status)}`, {
      isOfTexts: TEXTS_REFUSED.includes(response.status),
      retryAfterMs: retryAfterS === null ? null : retryAfterS * 1000,
    });
  }

  return {
    model,
    async embed(texts, signal) {
      const estimated = () => texts.reduce((sum, text) => sum + textTokens(text), 0);
      const admission = await meter.admit({ provider: PROVIDER, model, input: estimated, output: 0 }, signal);
      if (admission.kind === "refused") throw new EmbeddingFailed(admission.refusal.message);
      try {
        const answer = await call(texts, signal);
        const reported = tokensIn(answer);
        const spent = { input: reported || estimated(), output: 0, cacheRead: 0, cacheWrite: 0 };
        meter.record({ provider: PROVIDER, model, ...spent, isEstimate: reported === 0 });
        return vectorsIn(answer, texts.length);
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof EmbeddingFailed ? error : unreachable(error);
      } finally {
        admission.release();
      }
    },
  };
}

const tokensIn = (answer: unknown): number => {
  const { total_tokens: total, prompt_tokens: prompt } = fieldsOf(fieldsOf(answer)["usage"]);
  return countOf(total ?? prompt);
};

/** By their index, which some servers do not send. */
function vectorsIn(answer: unknown, count: number): readonly (readonly number[])[] {
  const { data } = fieldsOf(answer);
  const vectors: unknown[] = [];
  for (const [at, one] of (Array.isArray(data) ? data : []).entries()) {
    const { index, embedding } = fieldsOf(one);
    vectors[Number.isInteger(index) ? Number(index) : at] = embedding;
  }
  const first = vectors[0];
  const dimensions = isVector(first) ? first.length : 0;
  const isWhole = vectors.length === count && vectors.every((one) => isVector(one) && one.length === dimensions);
  if (!isWhole || dimensions === 0)
    throw new EmbeddingFailed(`the embeddings endpoint answered with no vector for each text; check ${EMBEDDINGS.url}`);
  return vectors as readonly (readonly number[])[];
}

const isVector = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((one) => Number.isFinite(one));

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

function advice(status: number): string {
  if (status === 401 || status === 403) return `: see ${EMBEDDINGS.key}`;
  return status === 404 ? `: see ${EMBEDDINGS.model} and ${EMBEDDINGS.url}` : "";
}

function unreachable(error: unknown): EmbeddingFailed {
  const refusal = refusalBehind(error);
  if (refusal !== null) return new EmbeddingFailed(refusal.message);
  const { network } = readProviderError(error);
  const cause = network.systemCall ?? (network.code || network.reason);
  return new EmbeddingFailed(
    cause === null
      ? `the answer of the embeddings endpoint cannot be read; check ${EMBEDDINGS.url}`
      : `the embeddings endpoint cannot be reached: ${cause}`,
  );
}
