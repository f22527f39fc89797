import { stemmer } from "stemmer";
import { isFunctionWord } from "./stop-words.ts";

/** Only the beginning and the end of a longer text are indexed. */
const MAX_TEXT_LENGTH = 50_000;
const TAIL_LENGTH = 10_000;
const MAX_WORD_LENGTH = 64;

/**
 * The search terms of a text, in order; the same for indexing and for queries. They hold only letters and digits.
 * Case, accents and English endings are removed. Identifiers give the whole and its parts. Scripts without spaces give
 * overlapping pairs of characters.
 */
export function indexWords(text: string): string[] {
  const words: string[] = [];
  for (const run of wordRuns(text)) addRun(words, run);
  return words;
}

/** Words between spaces and punctuation, as written. */
export function wordRuns(text: string): string[] {
  const short = shortened(text);
  return (BEYOND_ASCII.test(short) ? short.normalize("NFKC").match(RUNS) : short.match(ASCII_RUNS)) ?? [];
}

const RUNS = /[\p{L}\p{M}\p{N}_]+(?:['’-][\p{L}\p{N}]+)*/gu;
/** The same for ASCII, in half the time. */
const ASCII_RUNS = /\w+(?:['-][A-Za-z0-9]+)*/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;

export function wordsOfRun(run: string): readonly string[] {
  const words: string[] = [];
  addRun(words, run);
  return words;
}

function addRun(words: string[], run: string): void {
  if (!UNSPACED.test(run)) return addWord(words, run);
  for (const piece of run.split(UNSPACED_RUN)) if (piece !== "") addPiece(words, piece);
}

/** Scripts that put no spaces between words. */
const SCRIPTS =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}\\p{Script=Javanese}";
const UNSPACED = new RegExp(`[${SCRIPTS}]`, "u");
const UNSPACED_RUN = new RegExp(`((?:[${SCRIPTS}]\\p{M}*)+)`, "u");

function shortened(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text.toWellFormed();
  return `${text.slice(0, MAX_TEXT_LENGTH - TAIL_LENGTH)} ${text.slice(-TAIL_LENGTH)}`.toWellFormed();
}

function addPiece(words: string[], piece: string): void {
  if (!UNSPACED.test(piece)) return addWord(words, piece);
  const characters = Array.from(piece.toLowerCase());
  if (characters.length === 1) words.push(characters.join(""));
  for (let at = 0; at + 1 < characters.length; at++) words.push(`${characters[at]}${characters[at + 1]}`);
}

function addWord(words: string[], run: string): void {
  const bare = /['’]/.test(run) ? run.replace(/['’]\p{L}*$/u, "") : run;
  if (isFunctionWord(bare)) return;
  const parts = PLAIN.test(bare) ? [bare] : bare.split(PART_ENDS).filter((part) => part !== "");
  if (parts.length > 1) words.push(normalizeTerm(parts.join("")));
  for (const part of parts) words.push(normalizeTerm(part));
}

/** Most words: no parts to split. */
const PLAIN = /^.?[a-z0-9]*$/;
/** At camelCase borders, at the end of an abbreviation, and at underscores and hyphens. */
const PART_ENDS = /[_-]+|(?<=\p{Ll})(?=\p{Lu}\p{L})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;

function normalizeTerm(word: string): string {
  let low = word.toLowerCase();
  if (!/^[a-z0-9]*$/.test(low)) low = low.normalize("NFD").replace(ACCENTS, "").normalize("NFC");
  if (low.length > MAX_WORD_LENGTH) low = Array.from(low).slice(0, MAX_WORD_LENGTH).join("");
  return /^[a-z]+$/.test(low) ? stemmer(americanSpelling(low)) : low;
}

/** Maps British to American spelling. */
const americanSpelling = (word: string): string =>
  word.length < 5
    ? word
    : word
        .replace(/our(s|ed|ing|ite|ites|ful)?$/, "or$1")
        .replace(/is(e[drs]?|ers|ing|ations?)$/, "iz$1")
        .replace(/yse([ds]?)$/, "yze$1");

/** Accents of Latin, Greek and Cyrillic letters, points of Hebrew and Arabic. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/gu;
