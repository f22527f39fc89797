import { createHmac, timingSafeEqual } from "node:crypto";

const PREFIX = "orchsec_";
const MAC_LENGTH = 22;
const NAME = "[A-Za-z][A-Za-z0-9_]{0,63}";

/** What stands for the value of a secret, wherever an engine or a tool would have it. */
export interface Placeholder {
  readonly text: string;
  readonly name: string;
}

const macOf = (engineKey: string, name: string): string =>
  createHmac("sha256", engineKey).update(`placeholder\n${name}`).digest("base64url").slice(0, MAC_LENGTH);

/**
 * The placeholder of a secret for one start of one engine, whose key at the broker authenticates it. A tool that has one
 * cannot make another: it does not know the key.
 */
export const newPlaceholder = (engineKey: string, name: string): string => `${PREFIX}${name}.${macOf(engineKey, name)}`;

/** Whether an engine with this key has made it. */
export function isPlaceholderOf(engineKey: string, { text, name }: Placeholder): boolean {
  const expected = Buffer.from(newPlaceholder(engineKey, name));
  const given = Buffer.from(text);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** All placeholders in a text, of whichever engine. */
export const placeholdersIn = (text: string): readonly Placeholder[] =>
  [...text.matchAll(placeholderPattern())].map(([found, name = ""]) => ({ text: found, name }));

/** A new one each time, for it has a state. */
export const placeholderPattern = (): RegExp => new RegExp(`${PREFIX}(${NAME})\\.[A-Za-z0-9_-]{${MAC_LENGTH}}`, "g");

/** What may be the beginning of a placeholder, at the end of a text. */
export const PLACEHOLDER_BEGINNING = new RegExp(
  `(?:${beginnings(PREFIX)}|${PREFIX}[A-Za-z0-9_]{0,64}(?:\\.[A-Za-z0-9_-]{0,${MAC_LENGTH - 1}})?)$`,
);

function beginnings(text: string): string {
  return Array.from({ length: text.length - 1 }, (_, at) => text.slice(0, at + 1)).join("|");
}
