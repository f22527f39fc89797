import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { canonicalHost } from "./host-pattern.ts";
import { DEFAULT_HOST, type Words } from "../host.ts";
import { HostList, type ConnectRule } from "./host-list.ts";
import { isPublicAddress } from "./public-address.ts";

const RESOLVE_TIMEOUT_MS = 10_000;

/** A host that programs may not connect to. The message is for their user; it names no address that DNS gave. */
export class EgressRefused extends Error {
  override readonly name = "EgressRefused";
}

export interface EgressRulesParts {
  readonly connect: ConnectRule;
  /** Ports on loopback. */
  readonly listen: readonly number[];
  /** All addresses of a host name. */
  readonly resolve?: ((hostname: string) => Promise<readonly LookupAddress[]>) | undefined;
  readonly isPublic?: ((address: string) => boolean) | undefined;
  readonly words?: Pick<Words, "connect" | "narrowed">;
}

/**
 * Decides what programs may connect to. A host name is resolved once, and only here: the connection uses the addresses that
 * were checked, so that DNS rebinding cannot bypass the check. A name that is not listed is not resolved.
 */
export class EgressRules {
  readonly #parts: EgressRulesParts;
  readonly #words: Pick<Words, "connect" | "narrowed">;
  readonly #widest: HostList;
  /** The widest and narrower ones: a host must be permitted by all of them. */
  readonly #lists: readonly HostList[];

  constructor(parts: EgressRulesParts, narrower: readonly HostList[] = []) {
    const { words = DEFAULT_HOST.words } = parts;
    this.#parts = parts;
    this.#words = words;
    this.#widest = new HostList(words.connect, parts.connect, parts.listen);
    this.#lists = [this.#widest, ...narrower];
  }

  /** These rules with those of one program. Throws an Error that names an entry which is no host. */
  narrowed(asked: ConnectRule): EgressRules {
    return new EgressRules(this.#parts, [new HostList(this.#words.narrowed, asked, this.#parts.listen)]);
  }

  /**
   * The addresses of a host, each of them permitted. Throws {@link EgressRefused}, or the resolver's error with its
   * `code`.
   */
  async addressesOf(host: string, port: number): Promise<readonly LookupAddress[]> {
    const name = canonicalHost(isIP(host) === 6 ? `[${host}]` : host);
    if (name === null) throw new EgressRefused(`${host} is refused: expected a host name or an IP address`);
    const family = isIP(name);
    const denied = this.#lists.find((list) =>
      family === 0 ? !list.permitsName(name, port) : !list.permitsAddress(name, family, port),
    );
    if (denied !== undefined) throw new EgressRefused(`${shown(name, port)} is refused: ${denied.denial}`);
    const found = family === 0 ? await this.#resolve(name) : [{ address: name, family }];
    // One private address among several refuses the host: the attacker chooses the order.
    if (found.length === 0 || !found.every((one) => this.#isReachable(one, port)))
      throw new EgressRefused(
        `${shown(name, port)} is refused: it is not on the public internet, and ${this.#words.connect} does not list its address`,
      );
    return found;
  }

  #isReachable({ address, family }: LookupAddress, port: number): boolean {
    // Only link-local addresses have a zone.
    if (address.includes("%")) return false;
    const { isPublic = isPublicAddress } = this.#parts;
    return isPublic(address) || this.#widest.listsAddress(address, family, port);
  }

  async #resolve(name: string): Promise<readonly LookupAddress[]> {
    const { resolve = (hostname) => lookup(hostname, { all: true }) } = this.#parts;
    const timedOut = Promise.withResolvers<never>();
    const error = Object.assign(new Error(`${name} was not resolved in time`), { code: "ETIMEDOUT" });
    const timer = setTimeout(() => timedOut.reject(error), RESOLVE_TIMEOUT_MS);
    try {
      return await Promise.race([resolve(name), timedOut.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const shown = (host: string, port: number): string => (isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`);
