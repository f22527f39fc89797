import { randomBytes } from "node:crypto";
import type { EngineLaunch } from "../../../contract/engine-launch.ts";
import type { ToolNetworkPolicy } from "../../../contract/orchestrator-records.ts";
import { sha256 } from "../../../contract/api-keys.ts";
import type { Logger } from "../../../shared/logger.ts";
import { type EgressLimits, EgressProxy } from "./egress-proxy.ts";
import { EgressRules, type EgressRulesParts } from "./egress-rules.ts";
import { HostTraffic } from "./host-traffic.ts";
import { proxyEnvironment } from "./proxy-environment.ts";

/** How one program reaches the network. */
export interface NetworkAccess {
  /** The only TCP port that it needs, on loopback; null without network. */
  readonly proxyPort: number | null;
  /** The environment variables that name it. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ToolNetworkParts extends Pick<EgressRulesParts, "resolve" | "isPublic"> {
  readonly launch: Pick<EngineLaunch, "tool_network" | "tool_listen">;
  readonly logger: Logger;
  readonly limits?: Partial<EgressLimits>;
}

/** The network of an engine's tools. The proxy opens with the first program that may use it. */
export class ToolNetwork {
  readonly #parts: ToolNetworkParts;
  /** For requests that the engine itself sends for a tool. */
  readonly rules: EgressRules;
  readonly traffic: HostTraffic;
  /** By the hash of a token, so that the time of a lookup reveals nothing about it. */
  readonly #rulesByToken = new Map<string, EgressRules>();
  /** By the requested policy, as JSON. */
  readonly #tokens = new Map<string, string>();
  #proxy: EgressProxy | undefined;
  #port: Promise<number> | undefined;
  #isClosed = false;

  constructor(parts: ToolNetworkParts) {
    const { launch, resolve, isPublic, logger } = parts;
    this.#parts = parts;
    this.rules = new EgressRules({
      toolNetwork: launch.tool_network,
      toolListen: launch.tool_listen,
      resolve,
      isPublic,
    });
    this.traffic = new HostTraffic(logger);
  }

  /**
   * Access for a program. `asked` narrows the policy for a tool server. Rejects with an Error that names an entry of
   * `asked` which is no host.
   */
  async access(asked: ToolNetworkPolicy = "open"): Promise<NetworkAccess> {
    const { tool_network: policy, tool_listen: ports } = this.#parts.launch;
    if (this.#isClosed) throw new Error("the engine stops");
    if (policy === "none" || asked === "none") return { proxyPort: null, environment: {} };
    const token = this.#tokenFor(asked);
    const port = await (this.#port ??= this.#listen());
    const isLoopbackDirect = ports.length > 0 && !listsLoopback(policy);
    return { proxyPort: port, environment: proxyEnvironment({ port, token }, { isLoopbackDirect }) };
  }

  /** Ends every connection of tools. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#port?.catch(() => undefined);
    await this.#proxy?.close();
    this.traffic.log();
  }

  #listen(): Promise<number> {
    const { limits = {} } = this.#parts;
    this.#proxy = new EgressProxy({
      rulesOf: (token) => this.#rulesByToken.get(sha256(token)) ?? null,
      onRefused: (host, text) => this.traffic.refused(host, text),
      onClosed: (host, bytes) => this.traffic.closed(host, bytes),
      limits,
    });
    return this.#proxy.listen();
  }

  #tokenFor(asked: ToolNetworkPolicy): string {
    const key = JSON.stringify(asked);
    const found = this.#tokens.get(key);
    if (found !== undefined) return found;
    const rules = asked === "open" ? this.rules : this.rules.narrowed(asked);
    const token = randomBytes(24).toString("base64url");
    this.#rulesByToken.set(sha256(token), rules);
    this.#tokens.set(key, token);
    return token;
  }
}

/** Programs must then ask the proxy for loopback too. */
const listsLoopback = (policy: ToolNetworkPolicy): boolean =>
  typeof policy !== "string" && policy.some((entry) => /^(?:127\.|\[?::1\b)/.test(entry));
