import type { RelatedTerm } from "../../../shared/words/related-terms-file.ts";
import { Table } from "../../store/table.ts";

/** Letters of a part: shorter ones are endings and function words. */
const MIN_PART = 4;
const MIN_COMPOUND = 9;
const MAX_COMPOUND = 40;
/** What may join two parts. */
const LINKS = ["", "s", "es", "n", "en", "er", "e"] as const;
/** As of related words. At 0.9, one German question less of 22 finds its answer; at 1, recall@5 in English falls by 0.001. */
const SIMILARITY = 0.95;

/**
 * The parts of compounds, which German and its neighbours write in one word. What counts as a part is what the store
 * has, so that no dictionary is needed.
 */
export class CompoundWords extends Table {
  readonly #any = this.db.prepare("select 1 from memory_index where memory_index match ? limit 1");

  /** Terms of the index that are parts of each word. */
  partsOf(words: readonly string[]): ReadonlyMap<string, readonly RelatedTerm[]> {
    return new Map(
      words.filter(isCompound).map((word) => [word, this.#parts(word).map((part) => [part, SIMILARITY] as const)]),
    );
  }

  #parts(word: string): readonly string[] {
    for (let at = word.length - MIN_PART; at >= MIN_PART; at--) {
      const last = word.slice(at);
      if (!this.#isTerm(last)) continue;
      const first = withoutLink(word.slice(0, at)).find((part) => part.length >= MIN_PART && this.#isTerm(part));
      if (first !== undefined) return [first, last];
    }
    return [];
  }

  #isTerm(term: string): boolean {
    return this.#any.get(`"${term}"`) !== undefined;
  }
}

const isCompound = (word: string): boolean =>
  word.length >= MIN_COMPOUND && word.length <= MAX_COMPOUND && /^[a-z]+$/.test(word);

/** The first part as it is, and without each link that it may end with. */
const withoutLink = (part: string): readonly string[] =>
  LINKS.flatMap((link) => (part.endsWith(link) ? [part.slice(0, part.length - link.length)] : []));
