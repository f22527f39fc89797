import { placeholdersIn } from "../../contract/broker/placeholder.ts";

/** The paths of the engine's proxy that lead to hosts of secrets. */
const PREFIX = "/s/";

/** `http://127.0.0.1:<port>/s/<placeholder>/<host>` stands for `https://<host>` with the secret in its place. */
export const phantomUrl = (port: number, placeholder: string, host: string): string =>
  `http://127.0.0.1:${port}${PREFIX}${placeholder}/${host}`;

export interface PhantomTarget {
  readonly placeholder: string;
  readonly url: URL;
}

/** What a path of the proxy leads to. Null for another path. */
export function phantomTarget(path: string): PhantomTarget | null {
  if (!path.startsWith(PREFIX)) return null;
  const [placeholder = "", authority = "", ...rest] = path.slice(PREFIX.length).split("/");
  const [found] = placeholdersIn(placeholder);
  // Nothing but a host and a port: the path begins behind it.
  if (found?.text !== placeholder || !/^(?:\[[\da-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?$/.test(authority)) return null;
  const url = URL.parse(`https://${authority}/${rest.join("/")}`);
  return url === null ? null : { placeholder, url };
}

/** The address in a redirect to the same host, by the proxy again. Another host is called without the secret. */
export function phantomLocation(location: string, { placeholder, url }: PhantomTarget, port: number): string {
  const next = URL.parse(location, url.href);
  if (next === null || next.protocol !== "https:" || next.host !== url.host) return location;
  return phantomUrl(port, placeholder, next.host) + next.pathname + next.search + next.hash;
}
