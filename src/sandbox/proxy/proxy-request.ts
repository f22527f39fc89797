import { HOP_BY_HOP, connectionOptions } from "./hop-by-hop.ts";

export interface ProxyTarget {
  /** A host name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The `Host` header of the forwarded request. */
  readonly authority: string;
  /** Path and query of the forwarded request. */
  readonly path: string;
}

const HTTP_PORT = 80;

/** The target of `CONNECT host:port`; null if the authority is not exactly that. */
export function connectTarget(authority: string): ProxyTarget | null {
  const [, host = "", digits = ""] = /^(\[[\da-fA-F:.]+\]|[^\s:/?#@[\]\\%]+):(\d{1,5})$/.exec(authority) ?? [];
  const port = Number(digits);
  const url = URL.parse(`http://${host}/`);
  if (host === "" || url === null || port < 1 || port > 65_535) return null;
  return { host: withoutBrackets(url.hostname), port, authority, path: "" };
}

/** The target of a request in absolute form; null for another form or scheme, and for a URL with credentials. */
export function forwardTarget(requestTarget: string): ProxyTarget | null {
  if (!/^http:\/\//i.test(requestTarget)) return null;
  const url = URL.parse(requestTarget);
  if (url === null || url.username !== "" || url.password !== "") return null;
  const port = url.port === "" ? HTTP_PORT : Number(url.port);
  if (port < 1) return null;
  // As sent: the URL parser would resolve dot segments and re-encode.
  const [, path = ""] = /^http:\/\/[^/?#]*([^#]*)/i.exec(requestTarget) ?? [];
  const host = withoutBrackets(url.hostname);
  return { host, port, authority: url.host, path: path.startsWith("/") ? path : `/${path}` };
}

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

/** Without hop-by-hop headers and those that `Connection` names. Names and values alternate, as in `rawHeaders`. */
export function endToEndHeaders(rawHeaders: readonly string[], also: readonly string[] = []): string[] {
  const pairs = pairsOf(rawHeaders);
  const connection = pairs.filter(([name]) => name.toLowerCase() === "connection").map(([, value]) => value);
  const dropped = new Set([...connectionOptions(connection), ...also]);
  return pairs.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !dropped.has(name.toLowerCase())).flat();
}

function pairsOf(rawHeaders: readonly string[]): (readonly [name: string, value: string])[] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as const] : []));
}

/** The password of `Proxy-Authorization: Basic …`; null without one. */
export function proxyPassword(header: string | undefined): string | null {
  const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(header ?? "") ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? null : text.slice(colon + 1);
}
