import { stem } from "./stem.ts";

/** Of a text longer than this its beginning and its end can be found. */
const LONGEST_TEXT = 50_000;
const TAIL = 10_000;
const LONGEST_WORD = 64;

/**
 * The words by which a text is found, in order: as they are indexed and as they are asked for. Whatever the text is,
 * they hold nothing but letters and digits. Cases, accents and English endings fall away; identifiers of code are
 * found whole and by their parts; scripts without spaces are split into overlapping pairs of characters.
 */
export function indexWords(text: string): string[] {
  const words: string[] = [];
  const plain = shortened(text).normalize("NFKC");
  for (const [run] of plain.matchAll(/[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}]+)*/gu)) {
    if (UNSPACED.test(run)) for (const piece of run.split(UNSPACED_RUN)) addPiece(words, piece);
    else addWord(words, run);
  }
  return words;
}

/** Han, kana, Thai, Lao, Khmer, Burmese, Tibetan, Javanese: words stand there without spaces between them. */
const SCRIPTS =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}\\p{Script=Javanese}";
const UNSPACED = new RegExp(`[${SCRIPTS}]`, "u");
const UNSPACED_RUN = new RegExp(`((?:[${SCRIPTS}]\\p{M}*)+)`, "u");

function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text.toWellFormed();
  return `${text.slice(0, LONGEST_TEXT - TAIL)} ${text.slice(-TAIL)}`.toWellFormed();
}

function addPiece(words: string[], piece: string): void {
  if (piece === "") return;
  if (!UNSPACED.test(piece)) return addWord(words, piece);
  const signs = [...piece.toLowerCase()];
  if (signs.length === 1) words.push(piece.toLowerCase());
  for (let at = 0; at + 1 < signs.length; at++) words.push(`${signs[at]}${signs[at + 1]}`);
}

function addWord(words: string[], run: string): void {
  const parts = run
    .replace(/['’]\p{L}*$/u, "")
    .split(PART_ENDS)
    .filter((part) => part !== "");
  if (parts.length > 1) words.push(folded(parts.join("")));
  for (const part of parts) words.push(folded(part));
}

/** Before a capital behind a small letter, before the last of several capitals, and at underscores. */
const PART_ENDS = /_+|(?<=\p{Ll})(?=\p{Lu}\p{L})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;

function folded(word: string): string {
  let low = word.toLowerCase();
  if (!/^[a-z0-9]*$/.test(low)) low = low.normalize("NFD").replace(ACCENTS, "").normalize("NFC");
  return stem(low.length > LONGEST_WORD ? [...low.slice(0, LONGEST_WORD)].join("").toWellFormed() : low);
}

/** Accents of Latin, Greek and Cyrillic letters, points of Hebrew and Arabic: marks that readers leave out. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/gu;
