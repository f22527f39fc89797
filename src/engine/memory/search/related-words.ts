import type { Logger } from "../../../shared/logger.ts";
import { type RelatedTerm, relatedTerms } from "../../../shared/words/related-terms-file.ts";

/** The related terms of each of some terms, where any are known. */
export type RelatedWords = (terms: readonly string[]) => ReadonlyMap<string, readonly RelatedTerm[]>;

export const NO_RELATED_WORDS: RelatedWords = () => new Map();

/** Related words of a folder's file; without one the search goes by the words themselves, which is logged once. */
export function openRelatedWords(folder: string, logger: Logger): RelatedWords {
  let isMissing = false;
  return (terms) => {
    if (isMissing) return NO_RELATED_WORDS(terms);
    try {
      return relatedTerms(folder, terms);
    } catch (error) {
      isMissing = true;
      logger.warn({ err: error }, "cannot read related words (ENGINE_WORD_VECTORS); searching memory without them");
      return NO_RELATED_WORDS(terms);
    }
  };
}
