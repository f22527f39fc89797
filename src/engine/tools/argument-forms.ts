import { posix } from "node:path";

/** A longer text is no address. */
const MAX_URL = 64 * 1024;
const WEB_ADDRESS = /^[\0-\x20]*https?:/i;

/**
 * The forms in which a text means the same to most tools: as it is, composed (Unicode NFC), as a path without `.`, `..`
 * and repeated slashes, and as an address the way it is called.
 */
export function argumentForms(text: string): readonly string[] {
  const url = text.length <= MAX_URL && WEB_ADDRESS.test(text) ? URL.parse(text) : null;
  if (url !== null) return [...new Set([text, url.href, decoded(url.href)])];
  return [...new Set([text, text.normalize("NFC"), posix.normalize(text.normalize("NFC"))])];
}

function decoded(href: string): string {
  try {
    return decodeURI(href);
  } catch (error) {
    if (error instanceof URIError) return href;
    throw error;
  }
}

/**
 * Whether the whole text matches a pattern in which `*` stands for any characters. Each part between two `*` is searched
 * once, from left to right: no pattern makes it go back.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
