/** A line that has only marks yet. What follows may make it a list, a heading or a rule. */
const MARKS_ONLY = /^[\s>]*(?:[-+*_=#`~|:\s]+|\d{1,9}[.)]?)$/;
const FENCE = /^\s*(?:```|~~~)/;
const LINK_BEGUN = /!?\[([^[\]]*)\]\([^()\s]*$/;
/** The time for the marks of a line grows with its square. */
const MAX_LINE = 1000;

/** A text as it will probably look when the rest of its last line has come, so that nothing jumps meanwhile. */
export function settleEnd(text: string): string {
  const at = text.lastIndexOf("\n") + 1;
  const line = text.slice(at);
  if (line.length > MAX_LINE || FENCE.test(line)) return text;
  if (MARKS_ONLY.test(line)) return text.slice(0, at);
  return text.slice(0, at) + closeMarks(line.replace(LINK_BEGUN, "$1"));
}

function closeMarks(line: string): string {
  if (isOdd(line.match(/`/g))) return `${line}\``;
  // A mark without a text after it would be shown.
  if (/(?:^|\s)\*{1,2}$/.test(line)) return line.replace(/\*+$/, "");
  if (!isOdd(line.match(/\*\*/g))) return line;
  return `${line.replace(/[\s*]+$/, "")}**`;
}

const isOdd = (found: readonly string[] | null): boolean => (found?.length ?? 0) % 2 === 1;
