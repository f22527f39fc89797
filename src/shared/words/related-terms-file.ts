import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Near } from "./nearest-terms.ts";

/** In a folder of word vectors: the related terms of each term. */
export const RELATED_TERMS = "related-terms.bin";

/**
 * The file: a header; a row for each term, in order of bytes, so that a term is found by halving; then all lists. A row
 * has the term, filled with zeros, and where its list begins and how long it is. An entry of a list has the number of the
 * other term's row, and the cosine in hundredths.
 */
const MAGIC = "orchd related terms 1\n";
const HEADER = 32;
const ROW = 48;
const TERM = 42;
const ENTRY = 3;
const MAX_TERMS = 65_000;

/** Another term and how related it is, from 0 to 1. */
export type RelatedTerm = readonly [term: string, cosine: number];

/** The bytes of the file. Terms that do not fit a row are left out. */
export function relatedTermsFile(terms: readonly string[], near: readonly (readonly Near[])[]): Buffer {
  const kept = terms
    .map((term, at) => ({ at, bytes: Buffer.from(term) }))
    .filter(({ bytes }) => bytes.length <= TERM)
    .slice(0, MAX_TERMS)
    .sort((one, other) => one.bytes.compare(other.bytes));
  const rowOf = new Map(kept.map(({ at }, row) => [at, row]));
  const lists = kept.map(({ at }) =>
    (near[at] ?? []).flatMap(([other, cosine]) => {
      const row = rowOf.get(other);
      return row === undefined ? [] : [[row, Math.round(cosine * 100)] as const];
    }),
  );
  const entries = lists.reduce((sum, list) => sum + list.length, 0);
  const file = Buffer.alloc(HEADER + kept.length * ROW + entries * ENTRY);
  file.write(MAGIC);
  file.writeUInt32LE(kept.length, HEADER - 4);
  let to = HEADER + kept.length * ROW;
  for (const [row, list] of lists.entries()) {
    const from = HEADER + row * ROW;
    kept[row]?.bytes.copy(file, from);
    file.writeUInt32LE(to, from + TERM);
    file.writeUInt16LE(list.length, from + TERM + 4);
    for (const [other, hundredths] of list) {
      file.writeUInt16LE(other, to);
      file.writeUInt8(hundredths, to + 2);
      to += ENTRY;
    }
  }
  return file;
}

/**
 * The related terms of some terms, read by position: the file is shared by all engines of a host and no part of it stays in
 * the memory of one.
 */
export function relatedTerms(folder: string, terms: readonly string[]): ReadonlyMap<string, readonly RelatedTerm[]> {
  using file = new OpenFile(join(folder, RELATED_TERMS));
  return new Map(terms.map((term) => [term, file.related(term)]));
}

class OpenFile {
  readonly #file: number;
  readonly #count: number;
  readonly #row = Buffer.alloc(ROW);

  constructor(path: string) {
    this.#file = openSync(path, "r");
    try {
      const header = this.#read(Buffer.alloc(HEADER), 0);
      if (header.toString("latin1", 0, MAGIC.length) !== MAGIC)
        throw new Error(`${path} was not made by orchctl vectors convert`);
      this.#count = header.readUInt32LE(HEADER - 4);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  related(term: string): readonly RelatedTerm[] {
    const bytes = Buffer.from(term);
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = this.#termOf(middle).compare(bytes);
      if (order === 0) return this.#listOf();
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return [];
  }

  /** The list of the row that was read last. */
  #listOf(): readonly RelatedTerm[] {
    const list = Buffer.alloc(this.#row.readUInt16LE(TERM + 4) * ENTRY);
    if (list.length > 0) this.#read(list, this.#row.readUInt32LE(TERM));
    return Array.from({ length: list.length / ENTRY }, (_, at) => [
      this.#termOf(list.readUInt16LE(at * ENTRY)).toString(),
      list.readUInt8(at * ENTRY + 2) / 100,
    ]);
  }

  #termOf(row: number): Buffer {
    this.#read(this.#row, HEADER + row * ROW);
    const end = this.#row.indexOf(0);
    return this.#row.subarray(0, end === -1 ? TERM : Math.min(end, TERM));
  }

  #read(into: Buffer, position: number): Buffer {
    if (readSync(this.#file, into, 0, into.length, position) !== into.length)
      throw new Error("the file of related terms is incomplete");
    return into;
  }
}
