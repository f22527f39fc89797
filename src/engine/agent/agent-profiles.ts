import type { AgentDefinition } from "../catalog/agent-file.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CoreSoul } from "../catalog/core-soul.ts";
import { toolsFor } from "../catalog/tools-for.ts";
import { DEFAULT_AGENT } from "../../contract/engine-api.ts";
import { type ToolRegistry, createToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentProfile, AgentProfiles } from "./agent-profile.ts";
import { type ToolLimits, fitTools } from "./fit-tools.ts";
import { DELEGATE, delegateTool } from "./delegate-tool.ts";
import { systemPrompt } from "./system-prompt.ts";

export interface ProfileParts {
  /** As they are now. */
  readonly now: () => { readonly catalog: Catalog; readonly soul: CoreSoul };
  readonly registry: () => ToolRegistry;
  /** What a model can be shown. */
  readonly toolLimits: (model: string) => ToolLimits;
  readonly models: { readonly main: string; readonly planner: string; readonly light: string };
  readonly userId: string;
  readonly product: string;
}

export interface CatalogProfiles {
  readonly ofAgent: AgentProfiles;
  /** An agent at work for another: its tools are among those of `parent`, with no more leave, and it delegates nothing. */
  ofSubAgent(agent: string, parent: string): AgentProfile;
  /** Names of tools that the model of an agent cannot be shown, with the reason. */
  leftOut(agent: string): ReadonlyMap<string, string>;
}

/** Profiles by the catalog: made once and the same from then on, until catalog, core soul or tools are others. */
export function catalogProfiles(parts: ProfileParts): CatalogProfiles {
  const kept = new ProfileCache(parts);
  const fitted = (agent: string): FittedProfile =>
    kept.take(agent, ({ catalog, registry }) => {
      const definition = definitionOf(catalog, agent);
      const others = [...catalog.agents.keys()].filter((name) => name !== DEFAULT_AGENT && name !== definition.name);
      const delegate = delegateTool(others, (name) => ofSubAgent(name, agent).registry.tools);
      return { definition, tools: toolsFor(definition, [...registry.tools, ...delegate]) };
    });
  const ofAgent = (agent: string): AgentProfile => fitted(agent).profile;
  const ofSubAgent = (agent: string, parent: string): AgentProfile => {
    const { profile } = kept.take(`${parent} > ${agent}`, ({ catalog }) => {
      const definition = definitionOf(catalog, agent);
      const offered = ofAgent(parent).registry.tools.filter(({ name }) => name !== DELEGATE);
      return { definition, tools: toolsFor(definition, offered, { neverAbove: true }) };
    });
    return profile;
  };
  return { ofAgent, ofSubAgent, leftOut: (agent) => fitted(agent).leftOut };
}

/** One that a reload has taken away gives way to the one that is always there. */
function definitionOf({ agents }: Catalog, agent: string): AgentDefinition {
  const found = agents.get(agent) ?? agents.get(DEFAULT_AGENT);
  if (found === undefined) throw new Error("the catalog has no default agent");
  return found;
}

interface FittedProfile {
  readonly profile: AgentProfile;
  readonly leftOut: ReadonlyMap<string, string>;
}

interface Sources {
  readonly catalog: Catalog;
  readonly soul: CoreSoul;
  readonly registry: ToolRegistry;
}

class ProfileCache {
  readonly #parts: ProfileParts;
  readonly #profiles = new Map<string, FittedProfile>();
  #sources: Sources | undefined;

  constructor(parts: ProfileParts) {
    this.#parts = parts;
  }

  take(
    name: string,
    make: (sources: Sources) => { readonly definition: AgentDefinition; readonly tools: readonly Tool[] },
  ): FittedProfile {
    const sources = this.#current();
    const known = this.#profiles.get(name);
    if (known !== undefined) return known;
    const { definition, tools } = make(sources);
    const { models, toolLimits, userId, product } = this.#parts;
    const model = modelOf(definition, models);
    const { tools: shown, leftOut } = fitTools(tools, toolLimits(model));
    const registry = createToolRegistry(shown);
    const { catalog, soul } = sources;
    const system = systemPrompt({ soul, catalog, agent: definition, registry, userId, product });
    const fitted = { profile: { system, model, registry }, leftOut };
    this.#profiles.set(name, fitted);
    return fitted;
  }

  #current(): Sources {
    const { catalog, soul } = this.#parts.now();
    const registry = this.#parts.registry();
    const known = this.#sources;
    if (known?.catalog === catalog && known.soul === soul && known.registry === registry) return known;
    this.#profiles.clear();
    this.#sources = { catalog, soul, registry };
    return this.#sources;
  }
}

function modelOf({ model }: AgentDefinition, models: ProfileParts["models"]): string {
  return model === "main" || model === "planner" || model === "light" ? models[model] : model;
}
