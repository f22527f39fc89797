import type { OutgoingHttpHeaders } from "node:http";
import { CONSOLE_HEADER } from "../../contract/console/session-limits.ts";

/** The console's credentials, which are not passed on to engines. */
export const CONSOLE_CREDENTIALS: readonly string[] = ["cookie", CONSOLE_HEADER.toLowerCase()];

/**
 * The headers of an engine's response. Engines share the console's origin and are not trusted: they may set no cookie, and
 * a browser that shows the response as a page runs no script of it.
 */
export function sandboxedHeaders({ "set-cookie": _, ...headers }: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const policy = headers["content-security-policy"];
  return {
    ...headers,
    "content-security-policy": policy === undefined ? "sandbox" : `${policy}, sandbox`,
    "x-content-type-options": "nosniff",
  };
}
