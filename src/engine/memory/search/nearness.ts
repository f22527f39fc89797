/** What a memory has near to a text. */
export interface Nearness {
  /** Rows of the index, the nearest first. */
  readonly rows: readonly number[];
  /** How far a row's similarity is above that of most, in standard deviations of these. 0 for a row without a vector. */
  zScore(row: number): number;
}

export const NOTHING_NEAR: Nearness = { rows: [], zScore: () => 0 };

/** What is near to a text; nothing while the endpoint is away. Never rejects. */
export type VectorSearch = (text: string, limit: number, signal?: AbortSignal) => Promise<Nearness>;
