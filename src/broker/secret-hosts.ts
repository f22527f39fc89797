import { readHostPattern } from "../sandbox/proxy.ts";

const TLS_PORT = 443;

/** Whether a secret may be sent to this address. An entry without a port is for that of `https`. */
export function isHostOf(hosts: readonly string[], { hostname, port }: Pick<URL, "hostname" | "port">): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const number = port === "" ? TLS_PORT : Number(port);
  return hosts.some((entry) => {
    const { pattern } = readHostPattern(entry);
    if (pattern === null || pattern.kind === "any" || (pattern.port ?? TLS_PORT) !== number) return false;
    if (pattern.kind === "network") return pattern.address === host;
    return pattern.subdomains ? host.endsWith(`.${pattern.name}`) : host === pattern.name;
  });
}
