import type { OutgoingHttpHeaders } from "node:http";
import { CONSOLE_HEADER } from "../../contract/console-records.ts";

/** Cookies are the console's, and its header says whom they authenticate. Engines read none. */
export const CONSOLE_CREDENTIALS: readonly string[] = ["cookie", CONSOLE_HEADER.toLowerCase()];

/**
 * The headers of an engine's answer. An engine shares the origin of the console, and may be in the hands of its model:
 * it sets no cookie, and a browser that shows its answer as a page runs no script of it.
 */
export function sandboxedHeaders({ "set-cookie": _, ...headers }: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const policy = headers["content-security-policy"];
  return {
    ...headers,
    "content-security-policy": policy === undefined ? "sandbox" : `${policy}, sandbox`,
    "x-content-type-options": "nosniff",
  };
}
