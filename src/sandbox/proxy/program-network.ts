import { hash, randomBytes } from "node:crypto";
import { DEFAULT_HOST, type Host } from "../host.ts";
import { type EgressLimits, EgressProxy, type EgressProxyParts } from "./egress-proxy.ts";
import { EgressRules, type EgressRulesParts } from "./egress-rules.ts";
import type { ConnectRule } from "./host-list.ts";
import { HostTraffic } from "./host-traffic.ts";
import { proxyEnvironment } from "./proxy-environment.ts";

/** How one program reaches the network. */
export interface NetworkAccess {
  /** The only TCP port that it needs, on loopback; null without network. */
  readonly proxyPort: number | null;
  /** The environment variables that name it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What programs of a {@link ProgramNetwork} reach. `resolve` and `isPublic` replace DNS and the IANA networks. */
export interface ProgramNetworkOptions
  extends Pick<EgressRulesParts, "resolve" | "isPublic">, Pick<EgressProxyParts, "takeOver" | "tunnel" | "outside"> {
  readonly connect: ConnectRule;
  /** Ports on loopback on which programs may listen, and to which they may connect. */
  readonly listen: readonly number[];
  readonly host?: Host;
  readonly limits?: Partial<EgressLimits>;
}

/** The network of programs. The proxy opens with the first program that may use it. */
export class ProgramNetwork {
  readonly #parts: ProgramNetworkOptions;
  readonly #host: Host;
  /** For requests that this process itself sends for a program. */
  readonly rules: EgressRules;
  readonly traffic: HostTraffic;
  /** By the hash of a token, so that the time of a lookup reveals nothing about it. */
  readonly #rulesByToken = new Map<string, EgressRules>();
  /** By the requested rules, as JSON. */
  readonly #tokens = new Map<string, string>();
  #proxy: EgressProxy | undefined;
  #port: Promise<number> | undefined;
  #isClosed = false;

  constructor(parts: ProgramNetworkOptions) {
    const { connect, listen, resolve, isPublic, host = DEFAULT_HOST } = parts;
    this.#parts = parts;
    this.#host = host;
    this.rules = new EgressRules({ connect, listen, resolve, isPublic, words: host.words });
    this.traffic = new HostTraffic(host.logger);
  }

  /**
   * Access for a program. `asked` narrows the rules for it. Rejects with an Error that names an entry of
   * `asked` which is no host.
   */
  async access(asked: ConnectRule = "open"): Promise<NetworkAccess> {
    const { connect, listen } = this.#parts;
    if (this.#isClosed) throw new Error(this.#host.words.closed);
    if (connect === "none" || asked === "none") return { proxyPort: null, environment: {} };
    const token = this.#tokenFor(asked);
    const port = await (this.#port ??= this.#listen());
    const isLoopbackDirect = listen.length > 0 && !listsLoopback(connect);
    return { proxyPort: port, environment: proxyEnvironment({ port, token }, { isLoopbackDirect }) };
  }

  /** Ends every connection of programs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#port?.catch(() => undefined);
    await this.#proxy?.close();
    this.traffic.log();
  }

  #listen(): Promise<number> {
    const { limits = {}, takeOver, tunnel, outside } = this.#parts;
    this.#proxy = new EgressProxy({
      rulesOf: (token) => this.#rulesByToken.get(hash("sha256", token)) ?? null,
      onRefused: (host, text) => this.traffic.refused(host, text),
      onClosed: (host, bytes) => this.traffic.closed(host, bytes),
      takeOver,
      tunnel,
      outside,
      limits,
      host: this.#host,
    });
    return this.#proxy.listen();
  }

  #tokenFor(asked: ConnectRule): string {
    const key = JSON.stringify(asked);
    const found = this.#tokens.get(key);
    if (found !== undefined) return found;
    const rules = asked === "open" ? this.rules : this.rules.narrowed(asked);
    const token = randomBytes(24).toString("base64url");
    this.#rulesByToken.set(hash("sha256", token), rules);
    this.#tokens.set(key, token);
    return token;
  }
}

/** Programs must then ask the proxy for loopback too. */
const listsLoopback = (rule: ConnectRule): boolean =>
  typeof rule !== "string" && rule.some((entry) => /^(?:127\.|\[?::1\b)/.test(entry));
