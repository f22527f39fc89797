import { UnreadableDocument } from "./unreadable-document.ts";

/** The text of a file. HTML names its own character set, where it is not UTF-8. */
export function decodeText(bytes: Uint8Array, { isHtml }: { readonly isHtml: boolean }): string {
  const named = isHtml ? charsetOf(bytes) : null;
  const label = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : (named ?? "utf-8");
  let text: string;
  try {
    text = new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableDocument(`expected text in ${label.toUpperCase()}`);
  }
  if (text.includes("\0")) throw new UnreadableDocument("expected text, got a binary file");
  return text;
}

/** A character set that Node.js does not know counts as none. */
function charsetOf(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  const [, name] = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(head) ?? [];
  if (name === undefined) return null;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}
