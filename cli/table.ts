import { safe, width } from "./output.ts";
import { WordWrap } from "./word-wrap.ts";

/** A column this wide or narrower is never shortened. */
const LEAST_SHORTENED = 12;
/** The least width for values beside the names of fields. */
const LEAST_VALUE = 20;

/**
 * A table for people; empty cells are dashes. `columns` is the width of the terminal, null for none. On a narrow one
 * cells are shortened, and then columns are left out from the right.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  columns: number | null,
): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => (cell === null || cell === "" ? "-" : safe(cell))))];
  const natural = head.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ""))));
  const widths = fitted(natural, columns ?? Infinity);
  return cells
    .map((row) =>
      widths
        .map((wide, column) => padded(shortened(row[column] ?? "", wide), wide))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The widths of the columns that are shown. The first two are shown always. */
function fitted(natural: readonly number[], room: number): readonly number[] {
  for (let shown = natural.length; ; shown--) {
    const isLast = shown <= 2;
    const widths = narrowed(natural.slice(0, shown), room, isLast ? 1 : LEAST_SHORTENED);
    if (isLast || total(widths) <= room) return widths;
  }
}

/** Takes from the widest columns until they fit, or none is wider than `floor`. */
function narrowed(natural: readonly number[], room: number, floor: number): readonly number[] {
  const widths = [...natural];
  for (let excess = total(widths) - room; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    const wide = widths[widest] ?? 0;
    if (wide <= floor) break;
    widths[widest] = wide - 1;
  }
  return widths;
}

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, wide) => sum + wide, 0) + 2 * Math.max(0, widths.length - 1);

const padded = (text: string, wide: number): string => text + " ".repeat(Math.max(0, wide - width(text)));

/** The text in at most `wide` columns, cut with `…`. */
export function shortened(text: string, wide: number): string {
  if (width(text) <= wide) return text;
  let [start, columns] = ["", 0];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    columns += width(segment);
    if (columns >= wide) break;
    start += segment;
  }
  return `${start}…`;
}

/** Named values, one per line, aligned and wrapped at the terminal's width. On a narrow terminal below their names. */
export function fields(pairs: readonly (readonly [string, string | null])[], columns: number | null): string {
  const named = pairs.map(([name, value]) => [safe(name), value === null ? "-" : safe(value)] as const);
  const indent = Math.max(...named.map(([name]) => width(name))) + 2;
  if (columns === null) return named.map(([name, value]) => padded(name, indent) + value).join("\n");
  if (columns - indent < LEAST_VALUE) {
    return named.map(([name, value]) => `${name}\n  ${wrapped(value, { columns, indent: 2 })}`).join("\n");
  }
  return named.map(([name, value]) => padded(name, indent) + wrapped(value, { columns, indent })).join("\n");
}

/** Text wrapped between words, its later lines indented. */
export function wrapped(
  text: string,
  { columns, indent }: { readonly columns: number; readonly indent: number },
): string {
  const wrap = new WordWrap(() => columns - indent);
  return (wrap.push(text) + wrap.flush()).replaceAll("\n", `\n${" ".repeat(indent)}`);
}
