const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const DETERMINERS = /^(?:(?:a|an|the|my|our|his|her|their|some)\s+)+/;

const DOT = "\u0001";
const ABBREVIATIONS =
  /\b(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|etc|approx|No|e\.g|i\.e|a\.m|p\.m|U\.S|U\.K)\.(?=\s)|\b[A-Z]\.(?= [A-Z])/g;

/** Normalises a subject or object for comparison: case, articles, final punctuation, number words. */
export function normalWords(text: string): string {
  return text
    .normalize("NFKC")
    .toLocaleLowerCase("en")
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/[“”"`*_]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(DETERMINERS, "")
    .replace(/[\s.,;:!?]+$/, "")
    .replaceAll(/[a-z]+/g, (word) => {
      const number = NUMBERS.indexOf(word);
      return number === -1 ? word : String(number);
    });
}

/** Numbers, dates and times in a text. */
export const numbersIn = (text: string): readonly string[] =>
  (normalWords(text).match(/\d+(?:[.,:/-]\d+)*/g) ?? []).map((number) => number.replaceAll(",", ""));

const NEGATIONS = /\b(?:not|no|never|none|cannot|nor|without|neither|stopped|quit)\b|n't\b/i;
export const isNegated = (text: string): boolean => NEGATIONS.test(text.replaceAll("’", "'"));

/** Probable names: capitalised words that do not start a sentence. */
export function namesIn(text: string): readonly string[] {
  const found: string[] = [];
  for (const match of text.matchAll(NAME)) {
    const name = match[0].replace(/['’]s$/, "");
    const first = /(?:^|[.!?:\n"“(-]\s*)$/.test(text.slice(0, match.index));
    const words = name.split(" ");
    if (words.every((word) => COMMON.has(word.toLowerCase()))) continue;
    if (first && words.length === 1 && !text.slice(match.index + 1).includes(name)) {
      // Capitalised at a sentence start: a name only when a verb or possessive typical of persons follows.
      if (
        !/^['’]s\b|^ (?:and|is|was|has|lives|works|likes|loves|said|told|moved|wants|got|just)\b/.test(
          text.slice(match.index + name.length),
        )
      )
        continue;
    }
    while (COMMON.has((words[0] ?? "").toLowerCase())) words.shift();
    while (COMMON.has((words.at(-1) ?? "").toLowerCase())) words.pop();
    const kept = words.join(" ");
    if (kept.length > 1 && !found.includes(kept)) found.push(kept);
  }
  return found;
}

const NAME =
  /(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\.? )?\p{Lu}[\p{L}\p{M}\d&'’-]*(?:(?: (?:of|de|la|van|von|der|del|the))? \p{Lu}[\p{L}\p{M}\d&'’-]*)*/gu;

const COMMON = new Set(
  `i i'm i've i'll i'd i’m i’ve i’ll i’d my we we're we've our you your he she it it's they them this that these those there here the a an
  and but so or if as at in on of to for from with by not no yes ok okay hi hello hey thanks thank please what when where which who whom whose
  why how can could would should will shall may might must do does did is are was were am be been have has had let lets let's just also
  since because while after before until now then today tomorrow yesterday tonight sorry well oh actually anyway maybe perhaps some any all
  every each both many most more much few one two three another other next last first second new old good great nice sure right really
  remember note btw fyi make give tell show help find create write explain suggest recommend use add remove change update fix run check look
  monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
  suppose imagine never always still too very only even ever again`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Splits a text into sentences, without list markers. An abbreviation does not end a sentence. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .replaceAll(ABBREVIATIONS, (match) => match.replaceAll(".", DOT))
    .split(/(?<=[.!?…])["')\]]*\s+|\n+/)
    .map((sentence) =>
      sentence
        .replaceAll(DOT, ".")
        .replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, "")
        .trim(),
    )
    .filter((sentence) => /\p{L}/u.test(sentence));
}
