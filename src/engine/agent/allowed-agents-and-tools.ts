import { ANY_USE, type AllowedUse } from "../../contract/engine/allowed-use.ts";
import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import { matchesTool } from "../../contract/engine/tool-pattern.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** The agents and tools that the product's policy allows the user. The default agent always is. */
export class AllowedAgentsAndTools {
  #policy: AllowedUse;

  constructor(policy: AllowedUse = ANY_USE) {
    this.#policy = policy;
  }

  setPolicy(policy: AllowedUse): void {
    this.#policy = policy;
  }

  /** Another object after each change. */
  get policy(): AllowedUse {
    return this.#policy;
  }

  hasAgent(name: string): boolean {
    return name === DEFAULT_AGENT || permits(this.#policy.agents, name);
  }

  hasTool(name: string): boolean {
    return permits(this.#policy.tools, name);
  }

  /** Why an agent may not be used; null when it may. */
  problemOf(agent: string): string | null {
    if (this.hasAgent(agent)) return null;
    const allowed = [...new Set([DEFAULT_AGENT, ...(this.#policy.agents ?? [])])].join(", ");
    return `the product's policy does not allow the agent ${agent}; it allows ${allowed}`;
  }

  /** A catalog without the agents that are not allowed. */
  agentsOf(catalog: Catalog): Catalog {
    const agents = new Map([...catalog.agents].filter(([name]) => this.hasAgent(name)));
    return { ...catalog, agents };
  }
}

const permits = (allowed: readonly string[] | null, name: string): boolean =>
  allowed === null || allowed.some((pattern) => matchesTool(pattern, name));
