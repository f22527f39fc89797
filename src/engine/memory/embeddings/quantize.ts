/** A vector as it is stored. */
export interface Quantized {
  /** One byte a dimension; the largest value is 127. Only the direction counts. */
  readonly bytes: Int8Array;
  /** One bit a dimension: whether it is positive. */
  readonly signs: Int32Array;
}

const BITS = 32;

/** How many words hold the signs of a vector. */
export const wordsFor = (dimensions: number): number => Math.ceil(dimensions / BITS);

export function quantize(values: readonly number[]): Quantized {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const bytes = Int8Array.from(values, (value) => Math.round((value / largest) * 127));
  const signs = new Int32Array(wordsFor(values.length));
  for (const [at, value] of values.entries()) if (value > 0) signs[at >> 5] = (signs[at >> 5] ?? 0) | (1 << (at & 31));
  return { bytes, signs };
}

/** From -1 to 1; 0 for vectors of other lengths. */
export function cosine(one: Int8Array, other: Int8Array): number {
  if (one.length !== other.length) return 0;
  let [product, ofOne, ofOther] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at] as number, other[at] as number];
    product += a * b;
    ofOne += a * a;
    ofOther += b * b;
  }
  return product / (Math.sqrt(ofOne * ofOther) || 1);
}
