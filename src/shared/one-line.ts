/**
 * A value as JSON on one line. U+0085, U+2028 and U+2029 are escaped: some readers treat them as line breaks (Python's
 * `splitlines`) and would cut a frame in two.
 */
export function oneLine(value: unknown): string {
  const json = JSON.stringify(value);
  // The test is cheaper than a replacement, which is rarely needed.
  return LINE_BREAK.test(json) ? json.replaceAll(LINE_BREAKS, escaped) : json;
}

const LINE_BREAK = /[\u0085\u2028\u2029]/;
const LINE_BREAKS = new RegExp(LINE_BREAK, "g");
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** At most `max` characters of a text. */
export const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
