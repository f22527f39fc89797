import { stripVTControlCharacters } from "node:util";

/** Control characters but the tab, line and paragraph separators, and those that change the direction of writing. */
const UNSAFE = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Text of a process that is not trusted, to be stored or shown as one field: at most `max` characters, without terminal
 * sequences, and without what a JSON column of PostgreSQL refuses (NUL, half a surrogate pair).
 */
export function untrustedText(text: string, max: number): string {
  const plain = stripVTControlCharacters(text).replaceAll(UNSAFE, "\u{fffd}");
  return (plain.length > max ? `${plain.slice(0, max - 1)}…` : plain).toWellFormed();
}
