/** Control, format, unassigned and ignorable characters, and spaces other than U+0020. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** Combining marks that strike through, enclose, follow no letter, or are stacked: they cover other characters. */
const COVERING = /[\p{Me}\u0334-\u0338]|(?<![\p{L}\p{M}\p{N}])\p{M}|(?<=\p{M}{4})\p{M}/gu;
/** Runs that would push text out of view; line breaks also as JSON escapes. */
const PADDING = /( |⏎|\\[nrt]|\\u\{[0-9a-f]+\})\1{24,}/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts with letters that look Latin; mixed with Latin in one word they deceive. */
const LOOKALIKE = /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Cherokee}\p{sc=Coptic}\p{sc=Lisu}]/gu;

/** Hidden characters that ordinary text needs: line breaks, tabs, joiners of letters and emoji, emoji variation selectors. */
const ORDINARY =
  /[\n\t]|(?<=[\p{L}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}])|(?<=\p{Emoji})\ufe0f|(?<=[\p{Emoji}\ufe0f])\u200d(?=\p{Emoji})/uy;

/** An agent's question: unchanged except for characters that hide or reorder text, which are escaped. */
export function visibleProse(text: string): string {
  return text.replaceAll(HIDDEN, (character, at: number) => {
    ORDINARY.lastIndex = at;
    return ORDINARY.test(text) ? character : escape(character);
  });
}

/** Untrusted text for a person's decision: deceptive characters are escaped, long text shows both ends. */
export const visibleText = (text: string, max: number): string => bothEnds(allVisible(text), max);

/** The same without truncation. Nothing is normalised. */
export function allVisible(text: string): string {
  return text
    .replaceAll(COVERING, escape)
    .replaceAll(WORD, (word) => (/[a-z]/i.test(word) ? word.replaceAll(LOOKALIKE, escape) : word))
    .replaceAll(HIDDEN, (character) => (character === "\n" ? "⏎" : escape(character)))
    .replaceAll(PADDING, (run, one: string) => `${one} [${run.length / one.length} of these] `);
}

/** Truncates in the middle; `note` is appended to the number of omitted characters. */
export function bothEnds(shown: string, max: number, note = ""): string {
  if (shown.length <= max) return shown;
  const half = Math.floor(max / 2);
  const ends = [shown.slice(0, half), shown.slice(-half)].map((end) => end.toWellFormed());
  return ends.join(` … [${shown.length - 2 * half} more characters${note}] … `);
}

const escape = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
