import { valueTokens } from "../model/token-estimate.ts";
import type { Tool } from "../tools/tool.ts";

/** How many tools a model can be shown, and how much of its window their definitions may take. */
export interface ToolLimits {
  readonly maxTools: number;
  readonly maxTokens: number;
}

export interface FittedTools {
  readonly tools: readonly Tool[];
  /** Names of the others, with the reason. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/**
 * As many tools as the model takes. Those that are built in always stay. Of the others the smallest source comes first:
 * a source with too much is cut, and takes no room from the rest. The same tools always give the same choice.
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
    if (isTooMany) leftOut.set(tool.name, `the model takes ${maxTools} tools at the most`);
    else if (isTooLarge) leftOut.set(tool.name, `the definitions of all tools are larger than ${maxTokens} tokens`);
    if (isTooMany || isTooLarge) continue;
    count++;
    used += tokens;
  }
  return { tools: leftOut.size === 0 ? tools : tools.filter(({ name }) => !leftOut.has(name)), leftOut };
}

const tokensOf = ({ name, description, input }: Tool): number => valueTokens([name, description, input.jsonSchema]);

const compare = (left: string, right: string): number => Number(left > right) - Number(left < right);
