import { indexWords } from "../../../shared/words/index-text.ts";
import { numbersIn } from "../normal-words.ts";
import { contentWords } from "./profile-input.ts";

/** Whether a text has all words and numbers of the object of a fact. */
export function saysObject(text: string, object: string): boolean {
  const [words, numbers] = [new Set(indexWords(text)), new Set(numbersIn(text))];
  const [wanted, counts] = [contentWords(object), numbersIn(object)];
  const isEmpty = wanted.length + counts.length === 0;
  return !isEmpty && wanted.every((word) => words.has(word)) && counts.every((number) => numbers.has(number));
}
