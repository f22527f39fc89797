/**
 * A value as JSON on one line, for every reader: many take these three for line breaks as well (Python's `splitlines`),
 * and would cut a frame in two.
 */
export function oneLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
