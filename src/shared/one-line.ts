/**
 * A value as JSON on one line, for every reader: many take these three for line breaks as well (Python's `splitlines`),
 * and would cut a frame in two.
 */
export function oneLine(value: unknown): string {
  const json = JSON.stringify(value);
  // Looking is cheaper than replacing, and there is hardly ever anything to replace.
  return LINE_BREAK.test(json) ? json.replaceAll(LINE_BREAKS, escaped) : json;
}

const LINE_BREAK = /[\u0085\u2028\u2029]/;
const LINE_BREAKS = new RegExp(LINE_BREAK, "g");
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
