import { valueTokens } from "../model/context-window.ts";
import type { Tool } from "../tools/tool.ts";

/** Limits of the tools in a request. Tokens are those of their definitions. */
export interface ToolLimits {
  /** What the provider accepts. */
  readonly maxTools: number;
  readonly maxTokens: number;
  /** Tokens up to which tools are in every request, unless they have to be. */
  readonly shownTokens: number;
}

export interface SplitTools {
  /** In every request. */
  readonly shown: readonly Tool[];
  /** Found and loaded by tool search. */
  readonly deferred: readonly Tool[];
  /** Too large for any request: name to reason. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** Of the provider's limit, what stays for tools that are loaded later. */
const ROOM_FOR_LOADED = 20;

/**
 * Selects the tools of every request. Built-in tools always are in it, then those marked so, as far as the provider
 * accepts them. The smallest sources come next, so one large source cannot displace the others. The selection is
 * deterministic.
 */
export function splitTools(tools: readonly Tool[], { maxTools, maxTokens, shownTokens }: ToolLimits): SplitTools {
  const sized = tools.map((tool) => ({ tool, source: tool.source ?? "", tokens: definitionTokens(tool) }));
  const total = sized.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= shownTokens && tools.length <= maxTools) return { shown: tools, deferred: [], leftOut: new Map() };
  const totals = new Map<string, number>();
  for (const { source, tokens } of sized) totals.set(source, (totals.get(source) ?? 0) + tokens);
  const ordered = sized.toSorted(
    (left, right) =>
      rankOf(left.tool) - rankOf(right.tool) ||
      (totals.get(left.source) ?? 0) - (totals.get(right.source) ?? 0) ||
      compare(left.source, right.source) ||
      compare(left.tool.name, right.tool.name),
  );
  const leftOut = new Map<string, string>();
  const shown = new Set<Tool>();
  let used = 0;
  for (const { tool, source, tokens } of ordered) {
    const most = tool.alwaysLoad ? maxTokens : shownTokens;
    const fits = shown.size < maxTools - ROOM_FOR_LOADED && used + tokens <= most;
    if (source !== "" && tokens > maxTokens)
      leftOut.set(tool.name, `its definition exceeds ${maxTokens} tokens, half of the context window`);
    else if (source === "" || fits) {
      shown.add(tool);
      used += tokens;
    }
  }
  return {
    shown: tools.filter((tool) => shown.has(tool)),
    deferred: tools.filter((tool) => !shown.has(tool) && !leftOut.has(tool.name)),
    leftOut,
  };
}

export const definitionTokens = ({ name, description, input }: Tool): number =>
  valueTokens([name, description, input.jsonSchema]);

const rankOf = ({ source, alwaysLoad }: Tool): number => (source === undefined ? 0 : alwaysLoad ? 1 : 2);

const compare = (left: string, right: string): number => Number(left > right) - Number(left < right);
