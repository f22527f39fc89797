import type { TermVectors } from "./read-word-vectors.ts";

/** A term by its position, and the cosine of the angle between the two. */
export type Near = readonly [at: number, cosine: number];

/** Directions that all vectors share say how frequent a word is, not what it means (Mu and Viswanath 2018). */
const REMOVED_DIRECTIONS = 4;
const ITERATIONS = 30;
/** Below it, words are hardly related. */
const MIN_COSINE = 0.42;
const MAX_NEAR = 48;
/** Terms whose vectors stay in the processor's cache meanwhile. */
const BLOCK = 256;

/** The nearest terms of each term, the nearest first. Takes a minute for 33,000 terms of 100 dimensions. */
export function nearestTerms({ terms, vectors, dimensions }: TermVectors): readonly (readonly Near[])[] {
  const units = Float32Array.from(vectors);
  normalize(units, dimensions);
  removeShared(units, dimensions);
  normalize(units, dimensions);
  const near: Near[][] = terms.map(() => []);
  for (let first = 0; first < terms.length; first += BLOCK) {
    const end = Math.min(terms.length, first + BLOCK);
    for (let one = first; one < terms.length; one++) {
      for (let other = first; other < Math.min(end, one); other++) {
        const cosine = product(units, one * dimensions, other * dimensions, dimensions);
        if (cosine < MIN_COSINE) continue;
        near[one]?.push([other, cosine]);
        near[other]?.push([one, cosine]);
      }
    }
  }
  return near.map((list) => list.sort(([, left], [, right]) => right - left).slice(0, MAX_NEAR));
}

function removeShared(units: Float32Array, dimensions: number): void {
  const mean = new Float32Array(dimensions);
  const count = units.length / dimensions;
  eachVector(units, dimensions, (from) => {
    for (let at = 0; at < dimensions; at++) mean[at] = (mean[at] ?? 0) + (units[from + at] ?? 0) / count;
  });
  eachVector(units, dimensions, (from) => add(units, from, mean, -1));
  for (let removed = 0; removed < Math.min(REMOVED_DIRECTIONS, dimensions - 1); removed++) {
    const direction = mainDirection(units, dimensions);
    eachVector(units, dimensions, (from) => add(units, from, direction, -along(units, from, direction)));
  }
}

/** The direction in which the vectors differ most, by power iteration. */
function mainDirection(units: Float32Array, dimensions: number): Float32Array {
  let direction = Float32Array.from({ length: dimensions }, (_, at) => 1 / (at + 1));
  for (let step = 0; step < ITERATIONS; step++) {
    const next = new Float32Array(dimensions);
    eachVector(units, dimensions, (from) => {
      const share = along(units, from, direction);
      for (let at = 0; at < dimensions; at++) next[at] = (next[at] ?? 0) + share * (units[from + at] ?? 0);
    });
    normalize(next, dimensions);
    direction = next;
  }
  return direction;
}

function eachVector(units: Float32Array, dimensions: number, visit: (from: number) => void): void {
  for (let from = 0; from < units.length; from += dimensions) visit(from);
}

function along(units: Float32Array, from: number, direction: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < direction.length; at++) sum += (units[from + at] ?? 0) * (direction[at] ?? 0);
  return sum;
}

function add(units: Float32Array, from: number, direction: Float32Array, times: number): void {
  for (let at = 0; at < direction.length; at++)
    units[from + at] = (units[from + at] ?? 0) + times * (direction[at] ?? 0);
}

function normalize(units: Float32Array, dimensions: number): void {
  eachVector(units, dimensions, (from) => {
    const length = Math.hypot(...units.subarray(from, from + dimensions)) || 1;
    for (let at = from; at < from + dimensions; at++) units[at] = (units[at] ?? 0) / length;
  });
}

function product(units: Float32Array, one: number, other: number, dimensions: number): number {
  let sum = 0;
  for (let at = 0; at < dimensions; at++) sum += (units[one + at] as number) * (units[other + at] as number);
  return sum;
}
