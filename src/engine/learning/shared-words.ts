import { indexWords } from "../memory/search/index-text.ts";
import { isFunctionWord } from "../memory/search/stop-words.ts";

/** Stems of the content words of a request, without numbers, paths and addresses. */
export function contentWords(text: string): ReadonlySet<string> {
  return new Set(plainWords(text).map(stem));
}

export const stem = (word: string): string => indexWords(word)[0] ?? word;

/** The content words, unstemmed. */
export const plainWords = (text: string): readonly string[] =>
  text
    .slice(0, 2000)
    .toLowerCase()
    .replaceAll(/\S*[\d/\\@_.]\S+/g, " ")
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !isFunctionWord(word) && word !== "please");

export const sharedWords = ([first, ...rest]: readonly ReadonlySet<string>[]): readonly string[] =>
  [...(first ?? [])].filter((word) => rest.every((others) => others.has(word)));
