import { styleText } from "node:util";

/** Characters that move the cursor, reorder a line or start one; not the joiners of emoji and some scripts. */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** External text made safe for a terminal: unsafe characters become visible escapes. */
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

/** Letters of half a width are of the same scripts. */
const WIDE =
  /(?![\uff61-\uffdc])(?:\p{Emoji_Presentation}|\ufe0f|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])/u;

export const isWide = (grapheme: string): boolean => WIDE.test(grapheme);

/** The columns of a text: two for East Asian letters and emoji, one for a letter with its combining marks. */
export function width(text: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) columns += isWide(segment) ? 2 : 1;
  return columns;
}

export type Style = Parameters<typeof styleText>[0];

/**
 * The only function that writes to standard output and standard error. It escapes control characters of external text;
 * the style is the only escape sequence.
 */
export function emit(stream: NodeJS.WritableStream, text: string, style: Style | null = null): void {
  const shown = safeLines(text);
  stream.write(style === null ? shown : styleText(style, shown, { validateStream: false }));
}

/** Removes the line that the cursor of a terminal is in. */
export function clearLine(terminal: NodeJS.WriteStream): void {
  terminal.clearLine(0);
  terminal.cursorTo(0);
}

/** Removes the last lines of a terminal. The cursor is then at the start of the first of them. */
export function clearLines(terminal: NodeJS.WriteStream, lines: number): void {
  terminal.moveCursor(0, -lines);
  terminal.cursorTo(0);
  terminal.clearScreenDown();
}

export interface Printer {
  /** A command's result: JSON with `--json`, otherwise the text for a terminal of this width, null for none. */
  document(value: unknown, text: (columns: number | null) => string): void;
  /** One of several results, as a line of JSON. */
  record(value: unknown): void;
  /** A note on standard error. With `--json` it is a JSON document, so that each line can be parsed. */
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
    // In one piece with its end, which a note on standard error would otherwise come before.
    if (!colour || style === undefined) return emit(process.stdout, `${text}\n`);
    write(text, style);
    emit(process.stdout, "\n");
  };
  const record = (value: unknown) => line(safeJson(value));
  const columns = () => (process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : null);
  return {
    json,
    columns,
    line,
    write,
    record,
    document: (value, text) => (json ? record(value) : line(text(columns()))),
    note: (text) => emit(process.stderr, `${json ? safeJson({ note: text }) : text}\n`),
  };
}
