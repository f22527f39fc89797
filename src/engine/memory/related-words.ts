import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Logger } from "../../kit/logger.ts";

/** A word that may be said instead of another; both as they are indexed. */
export interface RelatedWord {
  readonly word: string;
  /** From 0 to 1: how near it is. */
  readonly weight: number;
}

const CACHE_KIB = 64;
/** The build leaves it beside the programs' bundles. */
const FILE = join(import.meta.dirname, "words.db");

/** Without the file, or with one that cannot be read, memory is searched by the words themselves. */
export function openRelatedWords(logger: Logger): RelatedWords {
  const words = new RelatedWords();
  try {
    if (existsSync(FILE)) words.open(FILE);
  } catch (error) {
    logger.warn({ err: error }, "the file of related words cannot be read; memory is searched without it");
  }
  return words;
}

/**
 * English words that mean the like: synonyms, kinds, derivations, and words by which they are explained, out of
 * WordNet (scripts/words). They stay in their file. Until that is open, no word has any.
 */
export class RelatedWords {
  #db: DatabaseSync | undefined;
  #find: StatementSync | undefined;

  /** Throws when it is no such file. */
  open(file: string): void {
    const url = pathToFileURL(file);
    // Nobody writes it: an upgrade puts another in its place, and this one stays readable.
    url.searchParams.set("immutable", "1");
    const db = new DatabaseSync(url, { readOnly: true });
    try {
      db.exec(`pragma cache_size = -${CACHE_KIB}`);
      this.#find = db.prepare("select others from related where word = ?");
      this.#find.get("");
      this.#db = db;
    } catch (error) {
      this.#find = undefined;
      db.close();
      throw error;
    }
  }

  /** The nearest first. */
  of(word: string): readonly RelatedWord[] {
    const others = this.#find?.get(word)?.["others"];
    if (typeof others !== "string") return [];
    return Array.from(others.matchAll(/([a-z]+)(\d)/g), ([, other = "", tenths]) => ({
      word: other,
      weight: Number(tenths) / 10,
    }));
  }

  close(): void {
    this.#find = undefined;
    this.#db?.close();
  }
}
