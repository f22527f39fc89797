import { valueTokens } from "../model/context-window.ts";
import type { Tool } from "../tools/tool.ts";

/** Maximum number of tools in a request, and maximum tokens of their definitions. */
export interface ToolLimits {
  readonly maxTools: number;
  readonly maxTokens: number;
}

export interface FittedTools {
  readonly tools: readonly Tool[];
  /** Omitted tools: name to reason. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/**
 * Selects the tools that fit the model's limits. Built-in tools always stay. The smallest sources come first, so one
 * large source cannot displace the others. The selection is deterministic.
 */
export function fitTools(tools: readonly Tool[], { maxTools, maxTokens }: ToolLimits): FittedTools {
  const sized = tools.map((tool) => ({ tool, source: tool.source ?? "", tokens: tokensOf(tool) }));
  const totals = new Map<string, number>();
  for (const { source, tokens } of sized) totals.set(source, (totals.get(source) ?? 0) + tokens);
  const size = ({ source }: { readonly source: string }) => (source === "" ? 0 : (totals.get(source) ?? 0));
  const ordered = sized.toSorted(
    (left, right) =>
      size(left) - size(right) || compare(left.source, right.source) || compare(left.tool.name, right.tool.name),
  );
  const leftOut = new Map<string, string>();
  let [count, used] = [0, 0];
  for (const { tool, source, tokens } of ordered) {
    const isTooMany = source !== "" && count >= maxTools;
    const isTooLarge = source !== "" && used + tokens > maxTokens;
    if (isTooMany) leftOut.set(tool.name, `the model accepts at most ${maxTools} tools`);
    else if (isTooLarge) leftOut.set(tool.name, `the tool definitions exceed ${maxTokens} tokens`);
    if (isTooMany || isTooLarge) continue;
    count++;
    used += tokens;
  }
  return { tools: leftOut.size === 0 ? tools : tools.filter(({ name }) => !leftOut.has(name)), leftOut };
}

const tokensOf = ({ name, description, input }: Tool): number => valueTokens([name, description, input.jsonSchema]);

const compare = (left: string, right: string): number => Number(left > right) - Number(left < right);
