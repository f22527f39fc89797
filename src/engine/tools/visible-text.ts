/** Format, control, unassigned and ignorable characters, fillers that show nothing, and blanks other than the plain one. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** So many in a row would push what follows out of sight. */
const PADDING = /( |⏎){25,}/g;

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
export function visibleText(text: string, max: number): string {
  const shown = text
    .replaceAll(HIDDEN, (character) => (character === "\n" ? "⏎" : escaped(character)))
    .replaceAll(PADDING, (run, one: string) => `${one} [${run.length} of these] `);
  if (shown.length <= max) return shown;
  const half = Math.floor(max / 2);
  const ends = [shown.slice(0, half), shown.slice(-half)].map((end) => end.toWellFormed());
  return ends.join(` … [${shown.length - 2 * half} characters more] … `);
}

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
