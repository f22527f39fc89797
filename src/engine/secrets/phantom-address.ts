import { placeholdersIn } from "../../contract/broker/placeholder.ts";

/** The paths of the engine's proxy that lead to hosts of secrets. */
const PREFIX = "/s/";
/** Between a host and a path that belongs to every address. */
const BASE = "~";

/** `http://127.0.0.1:<port>/s/<placeholder>/<host>` stands for `https://<host>` with the secret in its place. */
export const phantomUrl = (port: number, placeholder: string, host: string): string =>
  `http://127.0.0.1:${port}${PREFIX}${placeholder}/${host}`;

/**
 * The same for a registry of npm with a path. npm puts the registry's path before the path of a package's own address, which
 * has it already: here it is part of the host's segment, and is put before a path only once.
 */
export const registryUrl = (port: number, placeholder: string, { host, pathname }: URL): string =>
  `${phantomUrl(port, placeholder, host)}${BASE}${Buffer.from(pathname).toString("base64url")}/`;

export interface PhantomTarget {
  readonly placeholder: string;
  readonly url: URL;
}

/** What a path of the proxy leads to. Null for another path. */
export function phantomTarget(path: string): PhantomTarget | null {
  if (!path.startsWith(PREFIX)) return null;
  const [placeholder = "", segment = "", ...rest] = path.slice(PREFIX.length).split("/");
  const [found] = placeholdersIn(placeholder);
  // Clients may encode the colon.
  const [authority = "", base = ""] = segment.replace(/%3a/i, ":").split(BASE);
  // Nothing but a host and a port: the path begins behind it.
  if (found?.text !== placeholder || !/^(?:\[[\da-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?$/.test(authority)) return null;
  const url = URL.parse(
    `https://${authority}${withBase(Buffer.from(base, "base64url").toString(), `/${rest.join("/")}`)}`,
  );
  return url === null ? null : { placeholder, url };
}

function withBase(base: string, path: string): string {
  const own = path.replace(/^\/{2,}/, "/");
  if (base === "") return path;
  return own.startsWith(base) ? own : base.replace(/\/$/, "") + own;
}

/** A header that names such an address, as package managers send them, with the address that it stands for. */
export const withTargets = (text: string, port: number): string =>
  text.replaceAll(/http:\/\/127\.0\.0\.1:(\d+)(\/s\/[^\s"'<>]*)/g, (address, digits: string, path: string) =>
    Number(digits) === port ? (phantomTarget(path)?.url.href ?? address) : address,
  );

/** The address in a redirect to the same host, by the proxy again. Another host is called without the secret. */
export function phantomLocation(location: string, { placeholder, url }: PhantomTarget, port: number): string {
  const next = URL.parse(location, url.href);
  if (next === null || next.protocol !== "https:" || next.host !== url.host) return location;
  return phantomUrl(port, placeholder, next.host) + next.pathname + next.search + next.hash;
}
