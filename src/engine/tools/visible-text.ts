/** Format, control, unassigned and ignorable characters, fillers that show nothing, and blanks other than the plain one. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** Marks that cross out or enclose what they stand on, stand on no letter, or are piled up: they cover other characters. */
const COVERING = /[\p{Me}\u0334-\u0338]|(?<![\p{L}\p{M}\p{N}])\p{M}|(?<=\p{M}{4})\p{M}/gu;
/** So many in a row would push what follows out of sight; line ends also as JSON writes them. */
const PADDING = /( |⏎|\\[nrt]|\\u\{[0-9a-f]+\})\1{24,}/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts with letters that look like Latin ones: within one word with those they are a trick. */
const LOOKALIKE = /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Cherokee}\p{sc=Coptic}\p{sc=Lisu}]/gu;

/** Of these, what writing itself needs: line ends and tabs, joiners of letters and of pictures, the look of a picture. */
const OF_WRITING =
  /[\n\t]|(?<=[\p{L}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}])|(?<=\p{Emoji})\ufe0f|(?<=[\p{Emoji}\ufe0f])\u200d(?=\p{Emoji})/uy;

/** A question in an agent's own words: as it was written, but for what hides or reorders. */
export function visibleProse(text: string): string {
  return text.replaceAll(HIDDEN, (character, at: number) => {
    OF_WRITING.lastIndex = at;
    return OF_WRITING.test(text) ? character : escaped(character);
  });
}

/** Text for a person to judge: nothing in it can hide or reorder what else is in it. Long text shows both ends. */
export const visibleText = (text: string, max: number): string => bothEnds(allVisible(text), max);

/** The same, all of it. Nothing is normalised: what is not plain to see is escaped. */
export function allVisible(text: string): string {
  return text
    .replaceAll(COVERING, escaped)
    .replaceAll(WORD, (word) => (/[a-z]/i.test(word) ? word.replaceAll(LOOKALIKE, escaped) : word))
    .replaceAll(HIDDEN, (character) => (character === "\n" ? "⏎" : escaped(character)))
    .replaceAll(PADDING, (run, one: string) => `${one} [${run.length / one.length} of these] `);
}

/** `note` stands where something is left out. */
export function bothEnds(shown: string, max: number, note = ""): string {
  if (shown.length <= max) return shown;
  const half = Math.floor(max / 2);
  const ends = [shown.slice(0, half), shown.slice(-half)].map((end) => end.toWellFormed());
  return ends.join(` … [${shown.length - 2 * half} characters more${note}] … `);
}

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
