import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { indexWords } from "./index-text.ts";

/** Search terms in order of their words' frequency, and their vectors one after the other. */
export interface TermVectors {
  readonly terms: readonly string[];
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

/** Words of a file that are read: the frequent ones come first, and rarer ones have poor vectors. */
const MAX_WORDS = 50_000;
const MAX_DIMENSIONS = 1024;

/**
 * Reads the common text format of fastText and GloVe: a word and its numbers on each line, the frequent words first. A
 * first line with two whole numbers is a header. A term has the vector of its most frequent word.
 */
export async function readWordVectors(file: string): Promise<TermVectors> {
  const found = new Map<string, readonly number[]>();
  let dimensions = 0;
  let line = 0;
  let words = 0;
  for await (const text of createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Infinity })) {
    line += 1;
    const [word = "", ...numbers] = text.trimEnd().split(" ");
    if (line === 1 && numbers.length === 1 && /^\d+$/.test(word)) continue;
    dimensions ||= numbers.length;
    if (numbers.length !== dimensions || dimensions < 2 || dimensions > MAX_DIMENSIONS)
      throw new Error(`line ${line}: expected a word and ${Math.max(2, dimensions)} numbers, got ${numbers.length}`);
    const vector = numbers.map(Number);
    if (!vector.every(Number.isFinite)) throw new Error(`line ${line}: expected numbers after the word`);
    const [term, ...others] = /^[\p{L}\p{M}]{2,}$/u.test(word) ? indexWords(word) : [];
    if (term !== undefined && others.length === 0 && !found.has(term)) found.set(term, vector);
    if (++words >= MAX_WORDS) break;
  }
  if (found.size === 0) throw new Error("the file has no words with vectors");
  return { terms: [...found.keys()], vectors: Float32Array.from([...found.values()].flat()), dimensions };
}
