import { styleText } from "node:util";

/** What moves the cursor, reorders the line or starts another; the joiners inside emoji and some scripts do not. */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text that came from elsewhere, safe on a terminal, with nothing of it hidden. */
export function safe(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return (text ?? "").replaceAll(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * A value as JSON that is safe on a terminal: the same document, with those characters written as JSON's own escapes.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** The same as `safe` for text of several lines, such as a model's. */
export function safeLines(text: string): string {
  return text
    .split(/(\n|\t)/)
    .map((part) => (part === "\n" || part === "\t" ? part : safe(part)))
    .join("");
}

const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

export const isWide = (grapheme: string): boolean => WIDE.test(grapheme);

/** Columns a text takes: two for East Asian letters and emoji, one for a letter with its combining marks. */
export function width(text: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) columns += isWide(segment) ? 2 : 1;
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
  const names = Math.max(...pairs.map(([name]) => width(safe(name))));
  return pairs
    .map(([name, value]) => {
      const label = safe(name);
      return `${label}${" ".repeat(names - width(label))}  ${value === null ? "-" : safe(value)}`;
    })
    .join("\n");
}

export type Style = Parameters<typeof styleText>[0];

/**
 * The one way to the terminal, for standard output and standard error: whatever text comes from elsewhere, no control
 * character of it gets through. A style is put around the text here, so that it is the only escape sequence.
 */
export function emit(stream: NodeJS.WritableStream, text: string, style: Style | null = null): void {
  const shown = safeLines(text);
  stream.write(style === null ? shown : styleText(style, shown, { validateStream: false }));
}

export interface Printer {
  /** A document: this JSON with `--json`, else the words. */
  document(value: unknown, words: () => string): void;
  /** One document of several, as a line of JSON. */
  record(value: unknown): void;
  /** Words beside the document; to standard error, where they are in nobody's pipe. */
  note(words: string): void;
  line(words: string, style?: Style): void;
  /** Text without a line break behind it. */
  write(words: string, style?: Style): void;
  /** How wide the terminal is; null where there is none, or where it does not say. */
  readonly columns: () => number | null;
  readonly json: boolean;
}

export function createPrinter({ json, colour }: { readonly json: boolean; readonly colour: boolean }): Printer {
  const write = (words: string, style?: Style) =>
    emit(process.stdout, words, colour && style !== undefined ? style : null);
  const line = (words: string, style?: Style) => {
    write(words, style);
    emit(process.stdout, "\n");
  };
  const record = (value: unknown) => line(safeJson(value));
  return {
    json,
    columns: () => (process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : null),
    line,
    write,
    record,
    document: (value, words) => (json ? record(value) : line(words())),
    note: (words) => emit(process.stderr, `${words}\n`),
  };
}
