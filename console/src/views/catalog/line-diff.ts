export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  /** Its line in the earlier and in the later text. */
  readonly was: number | null;
  readonly is: number | null;
}

/** Of longer differing parts each line is shown as removed and added. */
const MAX_CELLS = 4_000_000;

/** The lines of two texts, by their longest common subsequence. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [was, is] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start++;
  let end = 0;
  while (end < was.length - start && end < is.length - start && was[was.length - 1 - end] === is[is.length - 1 - end])
    end++;
  const same = (at: number, shift: number): DiffLine => ({
    kind: "same",
    text: was[at] ?? "",
    was: at + 1,
    is: at + 1 + shift,
  });
  return [
    ...was.slice(0, start).map((_, at) => same(at, 0)),
    ...middle(was.slice(start, was.length - end), is.slice(start, is.length - end), start),
    ...was.slice(was.length - end).map((_, at) => same(was.length - end + at, is.length - was.length)),
  ];
}

/** A text that ends with a newline has no empty line after it. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function middle(was: readonly string[], is: readonly string[], from: number): readonly DiffLine[] {
  const removed = (at: number): DiffLine => ({ kind: "removed", text: was[at] ?? "", was: from + at + 1, is: null });
  const added = (at: number): DiffLine => ({ kind: "added", text: is[at] ?? "", was: null, is: from + at + 1 });
  if (was.length * is.length > MAX_CELLS) return [...was.map((_, at) => removed(at)), ...is.map((_, at) => added(at))];
  const width = is.length + 1;
  const longest = new Uint32Array((was.length + 1) * width);
  for (let left = was.length - 1; left >= 0; left--)
    for (let right = is.length - 1; right >= 0; right--)
      longest[left * width + right] =
        was[left] === is[right]
          ? 1 + (longest[(left + 1) * width + right + 1] ?? 0)
          : Math.max(longest[(left + 1) * width + right] ?? 0, longest[left * width + right + 1] ?? 0);
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < was.length || right < is.length) {
    if (left < was.length && right < is.length && was[left] === is[right])
      lines.push({ kind: "same", text: was[left] ?? "", was: from + ++left, is: from + ++right });
    else if (
      right >= is.length ||
      (left < was.length && (longest[(left + 1) * width + right] ?? 0) >= (longest[left * width + right + 1] ?? 0))
    )
      lines.push(removed(left++));
    else lines.push(added(right++));
  }
  return lines;
}

/** A part of a diff: changed lines with a few around them. */
export type Hunk = readonly DiffLine[];
const AROUND = 3;

/** The changed parts alone. */
export function hunksOf(lines: readonly DiffLine[]): readonly Hunk[] {
  const hunks: DiffLine[][] = [];
  let last = -Infinity;
  for (const [at, line] of lines.entries()) {
    const isNear = lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== "same");
    if (!isNear) continue;
    if (at > last + 1) hunks.push([]);
    hunks.at(-1)?.push(line);
    last = at;
  }
  return hunks;
}
