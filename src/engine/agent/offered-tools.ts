import { valueTokens } from "../model/context-window.ts";
import { type ToolDefinition, type ToolRegistry, createToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { type ToolLimits, splitTools } from "./split-tools.ts";
import { type RankByWords, toolSearch } from "./tool-search.ts";

/** The tools of an agent. */
export interface OfferedTools {
  /** Every tool that it may call, loaded or not. */
  readonly registry: ToolRegistry;
  /**
   * The tools of a request: those of every request in order of their names, then the loaded ones in the order in which
   * they were loaded. So a tool that is loaded changes nothing before it, for the provider's prompt cache.
   */
  offer(loaded: readonly string[]): readonly ToolDefinition[];
  /** The same with a tool more. */
  adding(tool: Tool): OfferedTools;
  /** Names of the tools that tool search finds. */
  readonly deferred: ReadonlySet<string>;
  /** Tools that no request can have: name to reason. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** Requests of different tasks that are remembered. */
const MAX_KEPT = 64;

export function offeredTools(tools: readonly Tool[], limits: ToolLimits, rankByWords: RankByWords): OfferedTools {
  const { shown, deferred, leftOut } = splitTools(tools, limits);
  const adding = (tool: Tool) => offeredTools([...tools, tool], limits, rankByWords);
  if (deferred.length === 0) {
    const registry = createToolRegistry(shown);
    return { registry, offer: () => registry.modelTools, adding, deferred: new Set(), leftOut };
  }
  const search = toolSearch(deferred, rankByWords);
  const always = createToolRegistry([...shown, search]).modelTools;
  const found = createToolRegistry(deferred);
  const room = { tools: limits.maxTools - always.length, tokens: limits.maxTokens - valueTokens(always) };
  // The same array for the same tools: what is made of it for the provider is made once.
  const kept = new Map<string, readonly ToolDefinition[]>();
  return {
    registry: createToolRegistry([...shown, search, ...deferred]),
    offer(loaded) {
      const names = newestThatFit(loaded, found, room);
      if (names.length === 0) return always;
      const key = names.join("\n");
      const offered = kept.get(key) ?? [...always, ...names.flatMap((name) => found.definition(name) ?? [])];
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(key, offered);
      return offered;
    },
    adding,
    deferred: new Set(deferred.map(({ name }) => name)),
    leftOut,
  };
}

/** Of more tools than a request can have, those that were loaded last; the others can be loaded again. */
function newestThatFit(
  loaded: readonly string[],
  found: ToolRegistry,
  room: { readonly tools: number; readonly tokens: number },
): readonly string[] {
  const names: string[] = [];
  let { tokens } = room;
  for (const name of loaded.toReversed()) {
    const definition = found.definition(name);
    if (definition === undefined) continue;
    tokens -= valueTokens(definition);
    if (names.length > 0 && (tokens < 0 || names.length >= room.tools)) break;
    names.unshift(name);
  }
  return names;
}
