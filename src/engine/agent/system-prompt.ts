import type { AgentDefinition } from "../catalog/agent-file.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type CoreSoul, renderCoreSoul } from "../catalog/core-soul.ts";
import { USE_SKILL } from "../catalog/reserved-names.ts";
import { DEFAULT_AGENT } from "../../contract/engine-api.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { DELEGATE } from "./delegate-tool.ts";

/** For all agents together, and for all skills: some two per cent of a common window. */
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
 * Who the agent is: the core soul, then its own instructions. Nothing that changes from turn to turn belongs here: the
 * provider's cache lives from its bytes.
 */
export function systemPrompt({ soul, catalog, agent, registry, userId, product }: PromptParts): string {
  const others = [...catalog.agents.values()].filter(({ name }) => name !== DEFAULT_AGENT && name !== agent.name);
  const words = renderCoreSoul(soul, {
    user_id: userId,
    product,
    agents: listing(registry.get(DELEGATE) === undefined ? [] : others),
    skills: listing(registry.get(USE_SKILL) === undefined ? [] : [...catalog.skills.values()]),
  });
  return agent.instructions === "" ? words : `${words}\n\n${agent.instructions}`;
}

/** Each by name, in order; descriptions give way when there are very many, names never. */
function listing(entries: readonly { readonly name: string; readonly description: string }[]): string {
  if (entries.length === 0) return "(none)";
  const room = Math.max(MIN_SHOWN, Math.floor(MAX_LISTED / entries.length));
  return entries
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, description }) => `- ${name}: ${shortened(description.replaceAll(/\s+/g, " "), room)}`)
    .join("\n");
}

const shortened = (text: string, room: number): string =>
  text.length <= room ? text : `${text.slice(0, room - 1).toWellFormed()}…`;
