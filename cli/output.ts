import { styleText } from "node:util";

/** What moves the cursor, reorders the line or starts another; the joiners inside emoji and some scripts do not. */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text that came from elsewhere, safe on a terminal, with nothing of it hidden. */
export function safe(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return (text ?? "").replaceAll(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same for text of several lines, such as a model's. */
export function safeLines(text: string): string {
  return text
    .split(/(\n|\t)/)
    .map((part) => (part === "\n" || part === "\t" ? part : safe(part)))
    .join("");
}

const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

/** Columns a text takes: two for East Asian letters and emoji, one for a letter with its combining marks. */
export function width(text: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) columns += WIDE.test(segment) ? 2 : 1;
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
  readonly style: (format: Parameters<typeof styleText>[0], words: string) => string;
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
