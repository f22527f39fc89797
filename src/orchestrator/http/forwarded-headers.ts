import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { CONSOLE_HEADER } from "../../contract/console-records.ts";

/** They concern one connection, not the message (RFC 9110, 7.6.1). `expect` is answered by this server already. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Cookies are the console's, and its header says whom they authenticate. Engines read and set none. */
const OF_CONSOLE: ReadonlySet<string> = new Set(["cookie", "set-cookie", CONSOLE_HEADER.toLowerCase()]);

/** The headers that a proxy passes on: those of the connection are left out, those that `Connection` names, and the console's. */
export function endToEndHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set(
    (headers.connection ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim()),
  );
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !OF_CONSOLE.has(name) && !named.has(name)),
  );
}

/**
 * The headers of an engine's answer. An engine shares the console's origin, and may be in the hands of its model: a
 * browser that shows its answer as a page runs no script of it.
 */
export function answerHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const policy = headers["content-security-policy"];
  return {
    ...endToEndHeaders(headers),
    "content-security-policy": policy === undefined ? "sandbox" : `${String(policy)}, sandbox`,
    "x-content-type-options": "nosniff",
  };
}
