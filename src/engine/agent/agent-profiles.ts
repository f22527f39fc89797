import type { ClientTool } from "../../contract/engine/client-tool.ts";
import type { Effort } from "../../contract/engine/model-choice.ts";
import type { OutputSchema } from "../../contract/engine/output-schema.ts";
import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import { type AgentDefinition, toolsFor } from "../catalog/agent-file.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CoreSoul } from "../catalog/core-soul.ts";
import { lazily } from "../../shared/lazily.ts";
import { clientToolsOf } from "../tools/client-tools.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { SUBMIT_RESULT_TOOL } from "../tools/submit-result.ts";
import type { Tool, ToolNamed } from "../tools/tool.ts";
import type { AllowedAgentsAndTools } from "./allowed-agents-and-tools.ts";
import { DELEGATE, delegateTool } from "./delegate-tool.ts";
import { type OfferedTools, offeredTools } from "./offered-tools.ts";
import type { ToolLimits } from "./split-tools.ts";
import { systemPrompt } from "./system-prompt.ts";
import { type RankByWords, TOOL_SEARCH, toolSearch } from "./tool-search.ts";

const MAX_PROFILES = 200;

/** System prompt, model and tools of one agent. */
export interface AgentProfile extends Pick<OfferedTools, "registry" | "offer" | "adding"> {
  /** Byte-identical until a reload, so that the provider's prompt cache hits. */
  readonly system: string;
  readonly model: string;
  /** Whether the model that a call names takes the place of `model` also where another agent delegates to this one. */
  readonly followsTurn?: boolean;
  readonly effort?: Effort | undefined;
  /** The models that answer when it fails. Omitted: those of the policy. */
  readonly fallback?: readonly string[] | undefined;
  /** Of the result of its turns; omitted: they end with text. */
  readonly outputSchema?: OutputSchema;
}

/** What a turn brings beside its agent. */
export interface ProfileChoice {
  /** The call's model, if it is another than the agent's. */
  readonly model?: string | undefined;
  /** Tools that the client runs in the turn. */
  readonly clientTools?: readonly ClientTool[] | undefined;
}

/**
 * Returns the current profile of a named agent. The loop asks before each model call, so a reload applies from the
 * next call. An agent that a reload removed falls back to the default agent.
 */
export type AgentProfiles = (agent: string, choice?: ProfileChoice) => AgentProfile;

export interface ProfileParts {
  /** The current catalog and core soul. */
  readonly now: () => { readonly catalog: Catalog; readonly soul: CoreSoul };
  readonly registry: () => ToolRegistry;
  /** By the product's policy. */
  readonly allowed: AllowedAgentsAndTools;
  readonly toolLimits: (model: string) => ToolLimits;
  readonly rankByWords: RankByWords;
  readonly models: { readonly main: string; readonly planner: string; readonly light: string };
  readonly userId: string;
  readonly product: string;
}

export interface CatalogProfiles {
  readonly ofAgent: AgentProfiles;
  /** Profile of a sub-agent. It gets a subset of the tools of `parent`, no wider permissions, and cannot delegate. */
  ofSubAgent(agent: string, parent: string, choice?: ProfileChoice): AgentProfile;
  /** A tool of any agent. */
  readonly toolNamed: ToolNamed;
  /** Which tools of an agent are not in every request. */
  omitted(agent: string): Pick<OfferedTools, "deferred" | "leftOut">;
}

/** Of turns without tools of the client. */
const NONE: readonly ClientTool[] = [];

/** Agent profiles built from the catalog, cached until the catalog, core soul, tool registry or policy changes. */
export function catalogProfiles(parts: ProfileParts): CatalogProfiles {
  const cache = new ProfileCache(parts);
  const ofAgent = (agent: string, choice: ProfileChoice = {}): FittedProfile =>
    cache.get(agent, choice, ({ catalog, registry }) => {
      const { clientTools = NONE } = choice;
      const definition = definitionOf(catalog, agent);
      const others = [...catalog.agents.keys()].filter((name) => name !== DEFAULT_AGENT && name !== definition.name);
      const delegate = delegateTool(others, (name) => ofSubAgent(name, agent, { clientTools }).registry.tools);
      const permitted = [...registry.tools, ...delegate].filter(({ name }) => parts.allowed.hasTool(name));
      const own = toolsFor(definition, permitted);
      // A later tool of the catalog keeps its name. The client's are for this turn, whatever tools the agent's file lists.
      const given = clientToolsOf(clientTools).filter(({ name }) => registry.get(name) === undefined);
      return { definition, tools: [...own, ...toolsFor({ ...definition, tools: null }, given)] };
    });
  const ofSubAgent = (agent: string, parent: string, choice: ProfileChoice = {}): FittedProfile =>
    cache.get(`${parent} > ${agent}`, choice, ({ catalog }) => {
      const { clientTools } = choice;
      const definition = definitionOf(catalog, agent);
      const offered = ofAgent(parent, { clientTools }).registry.tools.filter(
        ({ name }) => name !== DELEGATE && name !== TOOL_SEARCH,
      );
      return { definition, tools: toolsFor(definition, offered, { neverAbove: true }) };
    });
  const own = lazily(() => [
    ...delegateTool([DEFAULT_AGENT], () => []),
    toolSearch([], parts.rankByWords),
    SUBMIT_RESULT_TOOL,
  ]);
  const toolNamed: ToolNamed = (name) => own().find((tool) => tool.name === name) ?? parts.registry().get(name);
  return { ofAgent, ofSubAgent, toolNamed, omitted: (agent) => ofAgent(agent) };
}

/** Falls back to the default agent when a reload removed the agent. */
function definitionOf({ agents }: Catalog, agent: string): AgentDefinition {
  const found = agents.get(agent) ?? agents.get(DEFAULT_AGENT);
  if (found === undefined) throw new Error("the catalog has no default agent");
  return found;
}

interface FittedProfile extends AgentProfile, OfferedTools {}

interface Sources {
  /** With the agents that are allowed. */
  readonly catalog: Catalog;
  readonly soul: CoreSoul;
  readonly registry: ToolRegistry;
}

class ProfileCache {
  readonly #parts: ProfileParts;
  /** By the client's tools, of which each turn has its own, and by name. */
  #profiles = new WeakMap<readonly ClientTool[], Map<string, FittedProfile>>();
  #sources: (Sources & { readonly of: readonly unknown[] }) | undefined;

  constructor(parts: ProfileParts) {
    this.#parts = parts;
  }

  get(
    name: string,
    { model: other, clientTools = NONE }: ProfileChoice,
    make: (sources: Sources) => { readonly definition: AgentDefinition; readonly tools: readonly Tool[] },
  ): FittedProfile {
    const sources = this.#current();
    const turn = clientTools.length === 0 ? NONE : clientTools;
    const profiles = this.#profiles.get(turn) ?? new Map<string, FittedProfile>();
    this.#profiles.set(turn, profiles);
    const key = other === undefined ? name : `${name} by ${other}`;
    const known = profiles.get(key);
    if (known !== undefined) return known;
    const { definition, tools } = make(sources);
    const { models, toolLimits, rankByWords, userId, product } = this.#parts;
    const model = other ?? modelOf(definition, models);
    const offered = offeredTools(tools, toolLimits(model), rankByWords);
    const { catalog, soul } = sources;
    const system = systemPrompt({ soul, catalog, agent: definition, registry: offered.registry, userId, product });
    const { effort, fallback, outputSchema } = definition;
    const choice = { model, followsTurn: definition.model === "main", effort, fallback };
    const fitted = { system, ...choice, ...offered, ...(outputSchema && { outputSchema }) };
    // Calls may name any number of models.
    if (profiles.size >= MAX_PROFILES) profiles.clear();
    profiles.set(key, fitted);
    return fitted;
  }

  #current(): Sources {
    const { catalog, soul } = this.#parts.now();
    const { allowed } = this.#parts;
    const registry = this.#parts.registry();
    const of = [catalog, soul, registry, allowed.policy];
    const known = this.#sources;
    if (known?.of.every((one, at) => one === of[at])) return known;
    this.#profiles = new WeakMap();
    this.#sources = { of, catalog: allowed.agentsOf(catalog), soul, registry };
    return this.#sources;
  }
}

function modelOf({ model }: AgentDefinition, models: ProfileParts["models"]): string {
  return model === "main" || model === "planner" || model === "light" ? models[model] : model;
}
