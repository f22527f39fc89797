import { shortened } from "../../shared/one-line.ts";
import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import type { AgentDefinition } from "../catalog/agent-file.ts";
import { type Catalog, USE_SKILL } from "../catalog/catalog.ts";
import { type CoreSoul, renderCoreSoul } from "../catalog/core-soul.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { DELEGATE } from "./delegate-tool.ts";

/** Characters for all agents, and for all skills: about two per cent of a common window. */
const MAX_LISTED = 16_000;
const MIN_SHOWN = 60;

export interface PromptParts {
  readonly soul: CoreSoul;
  readonly catalog: Catalog;
  readonly agent: AgentDefinition;
  readonly registry: ToolRegistry;
  readonly userId: string;
  readonly product: string;
}

/**
 * The system prompt: the core soul, then the agent's own instructions. It must not contain anything that changes between
 * turns, or the provider's prompt cache misses.
 */
export function systemPrompt({ soul, catalog, agent, registry, userId, product }: PromptParts): string {
  const others = [...catalog.agents.values()].filter(({ name }) => name !== DEFAULT_AGENT && name !== agent.name);
  const coreSoul = renderCoreSoul(soul, {
    user_id: userId,
    product,
    agents: listing(registry.get(DELEGATE) === undefined ? [] : others),
    skills: listing(registry.get(USE_SKILL) === undefined ? [] : [...catalog.skills.values()]),
  });
  return agent.instructions === "" ? coreSoul : `${coreSoul}\n\n${agent.instructions}`;
}

/** Sorted list of names and descriptions. Descriptions are shortened when there are many. */
function listing(entries: readonly { readonly name: string; readonly description: string }[]): string {
  if (entries.length === 0) return "(none)";
  const room = Math.max(MIN_SHOWN, Math.floor(MAX_LISTED / entries.length));
  return entries
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, description }) => `- ${name}: ${shortened(description.replaceAll(/\s+/g, " "), room)}`)
    .join("\n");
}
