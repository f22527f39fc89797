import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

type Caller = Pick<IncomingMessage, "socket" | "headers">;

const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/** Whether the caller runs on this host. A request of a reverse proxy on this host has a forwarding header. */
export function isLocalCaller({ socket: { remoteAddress: address }, headers }: Caller): boolean {
  const loopback = address === "::1" || address?.startsWith("127.") || address?.startsWith("::ffff:127.");
  return loopback === true && !FORWARDED.some((name) => headers[name] !== undefined);
}

/**
 * Why a call without a key is refused for its `Host` header, or null. Against DNS rebinding: a web page could let a name
 * of its site resolve to this host and read the response. Allowed are `localhost`, IP addresses and the configured host.
 */
export function hostProblem(caller: Caller, configured: string): string | null {
  const { host } = caller.headers;
  if (host === undefined || !isLocalCaller(caller) || isOwnHost(host, configured)) return null;
  return `Host: expected localhost, an IP address or ${configured}`;
}

function isOwnHost(host: string, configured: string): boolean {
  const [, name = ""] = /^(\[[0-9a-f:.]+\]|[^\s:/@?#[\]]+)(?::\d{1,5})?$/i.exec(host.toLowerCase()) ?? [];
  if (name === "localhost" || name.endsWith(".localhost") || name === configured.toLowerCase()) return true;
  return isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}

/** Whether a browser sends the request for a page of another site. */
export function isFromAnotherSite({ headers }: Pick<Caller, "headers">): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  const { origin } = headers;
  return origin !== undefined && origin.replace(/^https?:\/\//, "") !== headers.host;
}
