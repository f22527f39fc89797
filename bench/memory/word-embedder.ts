import { relatedTerms } from "../../src/shared/words/related-terms-file.ts";
import { wordRuns, wordsOfRun } from "../../src/shared/words/index-text.ts";
import { isAskingWord, isFunctionWord } from "../../src/shared/words/stop-words.ts";
import type { TextEmbedder } from "../../src/engine/memory/embeddings/text-embedder.ts";
import { WORD_VECTORS } from "./word-vectors.ts";

const DIMENSIONS = 1024;
/** Of the cosine of two words, so that distant ones count little. */
const POWER = 2;

/**
 * An embedding model made of the related words that orchd brings: each word has a direction of its own, and leans towards
 * those of its related words. A text is the mean of its words. So texts in other words are near to each other, as with a
 * small embedding model, at no cost and without one.
 */
export function wordEmbedder(): TextEmbedder {
  const known = new Map<string, Float32Array>();
  const vectorOf = (word: string): Float32Array => {
    const found = known.get(word) ?? wordVector(word);
    known.set(word, found);
    return found;
  };
  const embed = (text: string): readonly number[] => {
    const sum = new Float32Array(DIMENSIONS);
    const words = wordRuns(text).filter((run) => !isFunctionWord(run.toLowerCase()) && !isAskingWord(run));
    for (const word of new Set(words.flatMap(wordsOfRun))) add(sum, vectorOf(word), 1);
    return [...sum];
  };
  return { model: "related-words", embed: (texts) => Promise.resolve(texts.map(embed)) };
}

function wordVector(word: string): Float32Array {
  const vector = direction(word);
  for (const [term, cosine] of relatedTerms(WORD_VECTORS, [word]).get(word) ?? [])
    add(vector, direction(term), cosine ** POWER);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** The same for a term on every machine; those of two terms are nearly at right angles. */
function direction(term: string): Float32Array {
  let state = 0x811c9dc5;
  for (const letter of term) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return Float32Array.from({ length: DIMENSIONS }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    state ^= state >>> 13;
    return (state >>> 0) / 2 ** 31 - 1;
  });
}

function add(to: Float32Array, vector: Float32Array, weight: number): void {
  for (let at = 0; at < to.length; at++) to[at] = (to[at] ?? 0) + weight * (vector[at] ?? 0);
}
