import { indexWords } from "../memory/search/index-text.ts";
import { isFunctionWord } from "../memory/search/stop-words.ts";

/** What a request is about, each word without its ending; numbers, paths and addresses are of the one case. */
export function contentWords(text: string): ReadonlySet<string> {
  return new Set(plainWords(text).map(stem));
}

/** The word as it is compared. */
export const stem = (word: string): string => indexWords(word)[0] ?? word;

/** As they stand in the text. */
export const plainWords = (text: string): readonly string[] =>
  text
    .slice(0, 2000)
    .toLowerCase()
    .replaceAll(/\S*[\d/\\@_.]\S+/g, " ")
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !isFunctionWord(word) && word !== "please");

export const sharedWords = ([first, ...rest]: readonly ReadonlySet<string>[]): readonly string[] =>
  [...(first ?? [])].filter((word) => rest.every((others) => others.has(word)));
