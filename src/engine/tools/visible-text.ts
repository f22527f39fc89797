/** Format, control, unassigned and ignorable characters, fillers that show nothing, and blanks other than the plain one. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** So many in a row would push what follows out of sight. */
const PADDING = /( |⏎){25,}/g;

/** Text for a person to judge: nothing in it can hide or reorder what else is in it. Long text shows both ends. */
export function visibleText(text: string, max: number): string {
  const shown = text
    .replaceAll(HIDDEN, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return character === "\n" ? "⏎" : `\\u{${code.toString(16)}}`;
    })
    .replaceAll(PADDING, (run, one: string) => `${one} [${run.length} of these] `);
  if (shown.length <= max) return shown;
  const half = Math.floor(max / 2);
  const ends = [shown.slice(0, half), shown.slice(-half)].map((end) => end.toWellFormed());
  return ends.join(` … [${shown.length - 2 * half} characters more] … `);
}
