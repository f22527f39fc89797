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

/** How often consonants follow vowels. */
function measure(word: string): number {
  let times = 0;
  let wasVowel = false;
  for (let at = 0; at < word.length; at++) {
    const vowel = isVowel(word, at);
    if (wasVowel && !vowel) times++;
    wasVowel = vowel;
  }
  return times;
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (isVowel(word, at)) return true;
  return false;
}

/** Consonant, vowel, consonant at its end, as in "hop". */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || "wxy".includes(word.charAt(last))) return false;
  return !isVowel(word, last) && isVowel(word, last - 1) && !isVowel(word, last - 2);
}

/** `y` is one behind a consonant. */
function isVowel(word: string, at: number): boolean {
  switch (word.charCodeAt(at)) {
    case 97:
    case 101:
    case 105:
    case 111:
    case 117:
      return true;
    case 121:
      return at > 0 && !isVowel(word, at - 1);
    default:
      return false;
  }
}
