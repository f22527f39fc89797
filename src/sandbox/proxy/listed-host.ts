import { readHostPattern } from "./host-pattern.ts";

/** Whether a list of hosts has this one. An entry without a port is for the default one. */
export function isListedHost(
  entries: readonly string[],
  { host, port, defaultPort }: { readonly host: string; readonly port: number; readonly defaultPort: number },
): boolean {
  return entries.some((entry) => {
    const { pattern } = readHostPattern(entry);
    if (pattern === null || pattern.kind === "any" || (pattern.port ?? defaultPort) !== port) return false;
    if (pattern.kind === "network") return pattern.address === host;
    return pattern.subdomains ? host.endsWith(`.${pattern.name}`) : host === pattern.name;
  });
}
