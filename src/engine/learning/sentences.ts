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

const DOT = "\u0001";
const ABBREVIATIONS =
  /\b(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|etc|approx|No|e\.g|i\.e|a\.m|p\.m|U\.S|U\.K)\.(?=\s)|\b[A-Z]\.(?= [A-Z])/g;
