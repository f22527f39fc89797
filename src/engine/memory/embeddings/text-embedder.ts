/** Makes vectors of texts. */
export interface TextEmbedder {
  readonly model: string;
  /** One vector for each text, all of one length. Rejects with an {@link EmbeddingFailure} or the signal's reason. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
}

/** Why there are no vectors. */
export interface EmbeddingFailure extends Error {
  /** Whether these texts are the reason, such as one that is too long. */
  readonly isOfTexts: boolean;
  readonly retryAfterMs: number | null;
}

export const isOfTexts = (error: unknown): boolean => (error as Partial<EmbeddingFailure> | null)?.isOfTexts === true;

export const retryAfterMs = (error: unknown): number | undefined =>
  (error as Partial<EmbeddingFailure> | null)?.retryAfterMs ?? undefined;
