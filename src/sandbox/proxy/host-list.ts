import { BlockList } from "node:net";
import { type HostPattern, readHostPattern } from "./host-pattern.ts";

/** `open`: every public host. A list: hosts as {@link readHostPattern} reads them. */
export type ConnectRule = "open" | "none" | readonly string[];

/** The hosts that one rule permits. */
export class HostList {
  /** Why the list permits no host that it does not name. */
  readonly denial: string;
  readonly #patterns: readonly HostPattern[];
  /** By port; null is every port. Made at first use, as in public-address.ts. */
  #networks: ReadonlyMap<number | null, BlockList> | undefined;

  /** `field` is the rule's name. Throws an Error that names an entry which is no host. */
  constructor(field: string, rule: ConnectRule, loopbackPorts: readonly number[]) {
    this.denial = rule === "none" ? `${field} is "none"` : `${field} does not list it`;
    this.#patterns = [...loopbackPatterns(loopbackPorts), ...patternsOf(field, rule)];
  }

  /** Whether a name may be resolved. */
  permitsName(name: string, port: number): boolean {
    return this.#patterns.some((pattern) => {
      if (!isPort(pattern, port)) return false;
      if (pattern.kind !== "name") return pattern.kind === "any";
      return pattern.subdomains ? name.endsWith(`.${pattern.name}`) : name === pattern.name;
    });
  }

  /** Whether an address may be connected to if it is public. */
  permitsAddress(address: string, family: number, port: number): boolean {
    const isAny = this.#patterns.some((pattern) => pattern.kind === "any" && isPort(pattern, port));
    return isAny || this.listsAddress(address, family, port);
  }

  /** Whether an entry names this address or a network around it, which permits an address that is not public. */
  listsAddress(address: string, family: number, port: number): boolean {
    this.#networks ??= networksOf(this.#patterns);
    return [null, port].some((each) => this.#networks?.get(each)?.check(address, addressType(family)) ?? false);
  }
}

const isPort = (pattern: HostPattern, port: number): boolean => pattern.port === null || pattern.port === port;
const addressType = (family: number): "ipv4" | "ipv6" => (family === 4 ? "ipv4" : "ipv6");

function patternsOf(field: string, rule: ConnectRule): readonly HostPattern[] {
  if (rule === "none") return [];
  if (rule === "open") return [{ kind: "any", port: null }];
  return rule.map((text) => {
    const { pattern, problem } = readHostPattern(text);
    if (pattern === null) throw new Error(`${field}: ${problem}, got ${JSON.stringify(text)}`);
    return pattern;
  });
}

/** The ports on loopback that programs may listen on, and so connect to. */
const loopbackPatterns = (ports: readonly number[]): readonly HostPattern[] =>
  ports.flatMap((port): readonly HostPattern[] => [
    { kind: "name", name: "localhost", subdomains: false, port },
    { kind: "network", address: "127.0.0.1", family: 4, prefix: 32, port },
    { kind: "network", address: "::1", family: 6, prefix: 128, port },
  ]);

function networksOf(patterns: readonly HostPattern[]): ReadonlyMap<number | null, BlockList> {
  const networks = new Map<number | null, BlockList>();
  for (const pattern of patterns) {
    if (pattern.kind !== "network") continue;
    const list = networks.get(pattern.port) ?? new BlockList();
    list.addSubnet(pattern.address, pattern.prefix, addressType(pattern.family));
    networks.set(pattern.port, list);
  }
  return networks;
}
