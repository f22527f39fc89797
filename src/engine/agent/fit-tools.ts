import type { ServerAsset, ServerToolAsset } from "../../contract/engine-api.ts";
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

interface ShownTools {
  /** Tools omitted from the model's request: name to reason. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Tools whose input schema was rewritten for the provider. */
  readonly adapted: ReadonlySet<string>;
}

const ADAPTED = "the input schema was rewritten for the provider";

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

/** The MCP servers for `GET /assets/servers`, with the tools that the model is not shown marked. */
export function listServers(servers: readonly ServerAsset[], shown: ShownTools): readonly ServerAsset[] {
  return servers.map((server) => {
    const tools = server.tools.map((tool) => shownTool(tool, shown));
    const leftOut = server.tools.flatMap(({ name, status }) =>
      status === "offered" ? (shown.leftOut.get(name) ?? []) : [],
    );
    if (leftOut.length === 0) return { ...server, tools };
    const problem = `${leftOut.length} tools are left out: ${[...new Set(leftOut)].join("; ")}`;
    return { ...server, tools, error: server.error === undefined ? problem : `${server.error}; ${problem}` };
  });
}

function shownTool(tool: ServerToolAsset, { leftOut, adapted }: ShownTools): ServerToolAsset {
  if (tool.status !== "offered") return tool;
  const reason = leftOut.get(tool.name);
  if (reason !== undefined) return { ...tool, status: "left_out", reason };
  return adapted.has(tool.name) ? { ...tool, note: ADAPTED } : tool;
}
