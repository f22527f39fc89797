import type { Effort } from "../../contract/engine/model-choice.ts";
import type { OutputSchema } from "../../contract/engine/output-schema.ts";
import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import { SUBMIT_RESULT } from "../../contract/engine/tool-names.ts";
import { type AgentDefinition, toolsFor } from "../catalog/agent-file.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CoreSoul } from "../catalog/core-soul.ts";
import { type ToolRegistry, createToolRegistry } from "../tools/registry.ts";
import { SUBMIT_RESULT_TOOL } from "../tools/submit-result.ts";
import type { Tool, ToolNamed } from "../tools/tool.ts";
import { DELEGATE, delegateTool } from "./delegate-tool.ts";
import { type ToolLimits, fitTools } from "./fit-tools.ts";
import { systemPrompt } from "./system-prompt.ts";

const MAX_PROFILES = 200;

/** System prompt, model and tools of one agent. */
export interface AgentProfile {
  /** Byte-identical until a reload, so that the provider's prompt cache hits. */
  readonly system: string;
  readonly model: string;
  /** Whether the model that a call names takes the place of `model` also where another agent delegates to this one. */
  readonly followsTurn?: boolean;
  readonly effort?: Effort | undefined;
  /** The models that answer when it fails. Omitted: those of the policy. */
  readonly fallback?: readonly string[] | undefined;
  readonly registry: ToolRegistry;
  /** Of the result of its turns; omitted: they end with text. */
  readonly outputSchema?: OutputSchema;
  /** Of a request to its model. Omitted: none. */
  readonly limits?: ToolLimits;
}

/**
 * Returns the current profile of a named agent. The loop asks before each model call, so a reload applies from the
 * next call. An agent that a reload removed falls back to the default agent. `model`: of the call, if it is another than
 * the agent's.
 */
export type AgentProfiles = (agent: string, model?: string) => AgentProfile;

export interface ProfileParts {
  /** The current catalog and core soul. */
  readonly now: () => { readonly catalog: Catalog; readonly soul: CoreSoul };
  readonly registry: () => ToolRegistry;
  readonly toolLimits: (model: string) => ToolLimits;
  readonly models: { readonly main: string; readonly planner: string; readonly light: string };
  readonly userId: string;
  readonly product: string;
}

export interface CatalogProfiles {
  readonly ofAgent: AgentProfiles;
  /** Profile of a sub-agent. It gets a subset of the tools of `parent`, no wider permissions, and cannot delegate. */
  ofSubAgent(agent: string, parent: string, model?: string): AgentProfile;
  /** A tool of any agent. */
  readonly toolNamed: ToolNamed;
  /** Tools omitted from an agent's requests: name to reason. */
  leftOut(agent: string): ReadonlyMap<string, string>;
}

/** Agent profiles built from the catalog, cached until the catalog, core soul or tool registry changes. */
export function catalogProfiles(parts: ProfileParts): CatalogProfiles {
  const cache = new ProfileCache(parts);
  const fitted = (agent: string, model?: string): FittedProfile =>
    cache.get({ name: agent, model }, ({ catalog, registry }) => {
      const definition = definitionOf(catalog, agent);
      const others = [...catalog.agents.keys()].filter((name) => name !== DEFAULT_AGENT && name !== definition.name);
      const delegate = delegateTool(others, (name) => ofSubAgent(name, agent).registry.tools);
      return { definition, tools: toolsFor(definition, [...registry.tools, ...delegate]) };
    });
  const ofAgent: AgentProfiles = (agent, model) => fitted(agent, model).profile;
  const ofSubAgent: CatalogProfiles["ofSubAgent"] = (agent, parent, model) => {
    const { profile } = cache.get({ name: `${parent} > ${agent}`, model }, ({ catalog }) => {
      const definition = definitionOf(catalog, agent);
      const offered = ofAgent(parent).registry.tools.filter(({ name }) => name !== DELEGATE);
      return { definition, tools: toolsFor(definition, offered, { neverAbove: true }) };
    });
    return profile;
  };
  const [delegate] = delegateTool([DEFAULT_AGENT], () => []);
  const toolNamed: ToolNamed = (name) => {
    if (name === DELEGATE) return delegate;
    return name === SUBMIT_RESULT ? SUBMIT_RESULT_TOOL : parts.registry().get(name);
  };
  return { ofAgent, ofSubAgent, toolNamed, leftOut: (agent) => fitted(agent).leftOut };
}

/** Falls back to the default agent when a reload removed the agent. */
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

  get(
    { name, model: other }: { readonly name: string; readonly model: string | undefined },
    make: (sources: Sources) => { readonly definition: AgentDefinition; readonly tools: readonly Tool[] },
  ): FittedProfile {
    const sources = this.#current();
    const key = other === undefined ? name : `${name} by ${other}`;
    const known = this.#profiles.get(key);
    if (known !== undefined) return known;
    const { definition, tools } = make(sources);
    const { models, toolLimits, userId, product } = this.#parts;
    const model = other ?? modelOf(definition, models);
    const limits = toolLimits(model);
    const { tools: shown, leftOut } = fitTools(tools, limits);
    const registry = createToolRegistry(shown);
    const { catalog, soul } = sources;
    const system = systemPrompt({ soul, catalog, agent: definition, registry, userId, product });
    const { effort, fallback, outputSchema } = definition;
    const choice = { model, followsTurn: definition.model === "main", effort, fallback };
    const result = outputSchema && { outputSchema };
    const fitted = { profile: { system, ...choice, registry, limits, ...result }, leftOut };
    // Calls may name any number of models.
    if (this.#profiles.size >= MAX_PROFILES) this.#profiles.clear();
    this.#profiles.set(key, fitted);
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
