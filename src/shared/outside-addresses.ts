import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { EgressRefused, EgressRules, readHostPattern } from "../sandbox/proxy.ts";

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const WORDS = { connect: "private_hosts", narrowed: "private_hosts" };

/** How the daemon finds addresses; tests replace the resolver. */
export interface Resolving {
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

/** Why an address of this form is never called, or null. Its name is not resolved. */
export function outsideUrlProblem(text: string, privateHosts: readonly string[]): string | null {
  const url = URL.parse(text);
  if (url === null || PORTS[url.protocol] === undefined) return "expected an https:// address";
  if (url.username !== "" || url.password !== "") return "expected an address without user and password";
  if (url.hash !== "") return "expected an address without a fragment";
  if (url.protocol === "http:" && privateHosts.length === 0)
    return "expected an https:// address: http is for the hosts of the policy's private_hosts";
  return null;
}

/**
 * The addresses of a URL's host. Each is on the public internet, or in `private_hosts`: by itself, or by the name, whose
 * addresses are then free. Without TLS only the latter. Throws {@link EgressRefused}, or the resolver's error with its
 * `code`.
 */
export async function outsideAddresses(
  text: string,
  privateHosts: readonly string[],
  { resolve }: Resolving = {},
): Promise<{ readonly url: URL; readonly addresses: readonly LookupAddress[] }> {
  const problem = outsideUrlProblem(text, privateHosts);
  if (problem !== null) throw new EgressRefused(problem);
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const port = url.port === "" ? (PORTS[url.protocol] ?? 0) : Number(url.port);
  const isNamed = privateHosts.some((entry) => namesHost(entry, { host, port }));
  const isPlain = url.protocol === "http:";
  const rules = new EgressRules({
    connect: isPlain ? privateHosts : ["*", ...privateHosts],
    listen: [],
    words: WORDS,
    resolve,
    ...((isPlain || isNamed) && { isPublic: () => isNamed }),
  });
  return { url, addresses: await rules.addressesOf(host, port) };
}

function namesHost(entry: string, { host, port }: { readonly host: string; readonly port: number }): boolean {
  const { pattern } = readHostPattern(entry);
  if (pattern?.kind !== "name" || isIP(host) !== 0) return false;
  if (pattern.port !== null && pattern.port !== port) return false;
  return pattern.subdomains ? host.endsWith(`.${pattern.name}`) : host === pattern.name;
}
