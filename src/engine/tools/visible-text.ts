/** Text for a person to judge: nothing in it can hide or reorder what else is in it. Long text shows both ends. */
export function visibleText(text: string, max: number): string {
  const shown = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return character === "\n" ? "⏎" : `\\u{${code.toString(16)}}`;
  });
  if (shown.length <= max) return shown;
  const half = Math.floor(max / 2);
  const ends = [shown.slice(0, half), shown.slice(-half)].map((end) => end.toWellFormed());
  return ends.join(` … [${shown.length - 2 * half} characters more] … `);
}
