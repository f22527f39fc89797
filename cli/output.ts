import { stripVTControlCharacters, styleText } from "node:util";

/** Text that came from elsewhere, safe on a terminal: nothing in it moves the cursor or reorders the line. */
export function safe(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return stripVTControlCharacters(text ?? "").replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Columns a text takes: wide for East Asian letters and emoji, none for combining marks. */
export function width(text: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    columns +=
      /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\uff01-\uff60]/u.test(
        segment,
      )
        ? 2
        : 1;
  }
  return columns;
}

/** A table for people; cells that are not given are dashes. */
export function table(head: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => (cell === null || cell === "" ? "-" : safe(cell))))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ""))));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Named values, one a line, the values under each other. */
export function fields(pairs: readonly (readonly [string, string | null])[]): string {
  const names = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(names)}  ${value === null ? "-" : value}`).join("\n");
}

export interface Printer {
  /** A document: exactly this JSON with `--json`, else the words. */
  document(value: unknown, words: () => string): void;
  /** Words beside the document; to standard error, where they are in nobody's pipe. */
  note(words: string): void;
  line(words: string): void;
  style(format: Parameters<typeof styleText>[0], words: string): string;
  readonly json: boolean;
}

export function createPrinter({ json, colour }: { readonly json: boolean; readonly colour: boolean }): Printer {
  const line = (words: string) => void process.stdout.write(`${words}\n`);
  return {
    json,
    line,
    document: (value, words) => line(json ? JSON.stringify(value) : words()),
    note: (words) => void process.stderr.write(`${words}\n`),
    style: (format, words) => (colour ? styleText(format, words, { validateStream: false }) : words),
  };
}
