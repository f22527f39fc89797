/**
 * Takes English endings off a word, after M. F. Porter's "An algorithm for suffix stripping" (1980), so that "moved",
 * "moving" and "moves" meet. Words that are not of plain Latin letters stay as they are.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let rest = plural(word);
  rest = pastAndProgress(rest);
  if (rest.endsWith("y") && hasVowel(rest.slice(0, -1))) rest = `${rest.slice(0, -1)}i`;
  rest = replaced(rest, LONG_ENDINGS, 0);
  rest = replaced(rest, SHORT_ENDINGS, 0);
  rest = withoutLast(rest);
  return tidied(rest);
}

const LONG_ENDINGS: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["entli", "ent"],
  ["ousli", "ous"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["ator", "ate"],
  ["eli", "e"],
];
const SHORT_ENDINGS: readonly (readonly [string, string])[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];
const LAST_ENDINGS = [
  "ement",
  "ance",
  "ence",
  "able",
  "ible",
  "ment",
  "ant",
  "ent",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "al",
  "er",
  "ic",
  "ou",
];

function plural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function pastAndProgress(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  const rest = word.slice(0, word.length - ending);
  if (ending === 0 || !hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function replaced(word: string, endings: readonly (readonly [string, string])[], above: number): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (found === undefined) return word;
  const rest = word.slice(0, -found[0].length);
  return measure(rest) > above ? rest + found[1] : word;
}

function withoutLast(word: string): string {
  const ending = LAST_ENDINGS.find((one) => word.endsWith(one)) ?? (/[st]ion$/.test(word) ? "ion" : "");
  const rest = word.slice(0, word.length - ending.length);
  return ending !== "" && measure(rest) > 1 ? rest : word;
}

function tidied(word: string): string {
  let rest = word;
  if (rest.endsWith("e")) {
    const bare = rest.slice(0, -1);
    if (measure(bare) > 1 || (measure(bare) === 1 && !endsShort(bare))) rest = bare;
  }
  return rest.endsWith("ll") && measure(rest) > 1 ? rest.slice(0, -1) : rest;
}

/** C for consonants and V for vowels; `y` is a vowel behind a consonant. */
function shape(word: string): string {
  let kinds = "";
  for (const letter of word) kinds += "aeiou".includes(letter) || (letter === "y" && kinds.endsWith("C")) ? "V" : "C";
  return kinds;
}

const hasVowel = (word: string): boolean => shape(word).includes("V");
/** How often consonants follow vowels. */
const measure = (word: string): number => shape(word).match(/V+C+/g)?.length ?? 0;
/** Consonant, vowel, consonant at its end, as in "hop". */
const endsShort = (word: string): boolean => shape(word).endsWith("CVC") && !/[wxy]$/.test(word);
