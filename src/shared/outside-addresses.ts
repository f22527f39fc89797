import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { EgressRefused, EgressRules, readHostPattern } from "../sandbox/proxy.ts";

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const FIELD = "the policy's private_hosts";
const WORDS = { connect: FIELD, narrowed: FIELD };

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

const LOOPBACK: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/**
 * Why an address can never be called, as {@link outsideUrlProblem}, and also for an IP address or `localhost` that
 * `private_hosts` does not have. Null for any other name: what it stands for is known when it is called.
 */
export async function literalUrlProblem(text: string, privateHosts: readonly string[]): Promise<string | null> {
  const problem = outsideUrlProblem(text, privateHosts);
  if (problem !== null) return problem;
  const host = new URL(text).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  if (!isLocal && isIP(host) === 0) return null;
  let refusal: string | null = null;
  // A local name may stand for either.
  for (const one of LOOPBACK) {
    try {
      await outsideAddresses(text, privateHosts, { resolve: async () => [one] });
      return null;
    } catch (error) {
      if (!(error instanceof EgressRefused)) throw error;
      refusal = error.message;
    }
  }
  return refusal;
}

/** Whether a list of hosts has that of an address: by name, or by the IP address itself. */
export function isListed(url: string, hosts: readonly string[]): boolean {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const at = { host, port: port === "" ? (PORTS[protocol] ?? 0) : Number(port) };
  return hosts.some((entry) => {
    const { pattern } = readHostPattern(entry);
    const isAddress = pattern?.kind === "network" && pattern.address === host;
    return isAddress ? pattern.port === null || pattern.port === at.port : namesHost(entry, at);
  });
}

function namesHost(entry: string, { host, port }: { readonly host: string; readonly port: number }): boolean {
  const { pattern } = readHostPattern(entry);
  if (pattern?.kind !== "name" || isIP(host) !== 0) return false;
  if (pattern.port !== null && pattern.port !== port) return false;
  return pattern.subdomains ? host.endsWith(`.${pattern.name}`) : host === pattern.name;
}
