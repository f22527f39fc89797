import { isListedHost } from "../sandbox/proxy.ts";

const TLS_PORT = 443;

/** Whether a secret may be sent to this address. An entry without a port is for that of `https`. */
export function isHostOf(hosts: readonly string[], { hostname, port }: Pick<URL, "hostname" | "port">): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return isListedHost(hosts, { host, port: port === "" ? TLS_PORT : Number(port), defaultPort: TLS_PORT });
}
