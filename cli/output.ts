import { styleText } from "node:util";

/** Characters that move the cursor, reorder a line or start one; not the joiners of emoji and some scripts. */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Foreign text made safe for a terminal: unsafe characters become visible escapes. */
export function safe(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return (text ?? "").replaceAll(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A value as JSON that is safe on a terminal: unsafe characters become JSON escapes. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Like `safe`, but keeps line breaks and tabs. */
export function safeLines(text: string): string {
  return text
    .split(/(\n|\t)/)
    .map((part) => (part === "\n" || part === "\t" ? part : safe(part)))
    .join("");
}

const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

export const isWide = (grapheme: string): boolean => WIDE.test(grapheme);

/** The columns of a text: two for East Asian letters and emoji, one for a letter with its combining marks. */
export function width(text: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) columns += isWide(segment) ? 2 : 1;
  return columns;
}

/** A table for people; empty cells are dashes. */
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

/** Named values, one per line, aligned. */
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
 * The only function that writes to standard output and standard error. It escapes control characters of foreign text;
 * the style is the only escape sequence.
 */
export function emit(stream: NodeJS.WritableStream, text: string, style: Style | null = null): void {
  const shown = safeLines(text);
  stream.write(style === null ? shown : styleText(style, shown, { validateStream: false }));
}

export interface Printer {
  /** A command's result: JSON with `--json`, otherwise the text. */
  document(value: unknown, text: () => string): void;
  /** One result of several, as a line of JSON. */
  record(value: unknown): void;
  /** A remark on standard error, apart from the result. */
  note(text: string): void;
  line(text: string, style?: Style): void;
  /** Text without a line break. */
  write(text: string, style?: Style): void;
  /** The terminal's width; null without a terminal or if it is unknown. */
  readonly columns: () => number | null;
  readonly json: boolean;
}

export function createPrinter({ json, colour }: { readonly json: boolean; readonly colour: boolean }): Printer {
  const write = (text: string, style?: Style) =>
    emit(process.stdout, text, colour && style !== undefined ? style : null);
  const line = (text: string, style?: Style) => {
    write(text, style);
    emit(process.stdout, "\n");
  };
  const record = (value: unknown) => line(safeJson(value));
  return {
    json,
    columns: () => (process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : null),
    line,
    write,
    record,
    document: (value, text) => (json ? record(value) : line(text())),
    note: (text) => emit(process.stderr, `${text}\n`),
  };
}
