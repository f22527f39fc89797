const LOOKED_AT = 120;
const BRACE = "{".codePointAt(0);
const NOTIFICATION = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:\s*"(notifications\/[\w/]+)"/;

/**
 * What a line is, as far as its first bytes tell, for most of a flood needs no more: to read a message costs many times
 * its bytes. A notification whose first words are others is told as a message.
 */
export type LineClass =
  | { readonly kind: "blank" | "no_message" | "message" }
  | { readonly kind: "notification"; readonly method: string };

export function classifyLine(line: Buffer): LineClass {
  let at = 0;
  while (at < line.length && (line[at] ?? 0) <= 0x20) at++;
  if (at === line.length) return { kind: "blank" };
  if (line[at] !== BRACE) return { kind: "no_message" };
  const method = NOTIFICATION.exec(line.toString("latin1", at, at + LOOKED_AT))?.[1];
  return method === undefined ? { kind: "message" } : { kind: "notification", method };
}
