import type { LoadParts } from "./load-catalog.ts";

/** How many servers a `.mcp.json` names, without a look at what they are. */
export const countServers: LoadParts["checkServers"] = (text) => {
  try {
    const { mcpServers = {} } = JSON.parse(text) as { mcpServers?: unknown };
    if (typeof mcpServers === "object" && mcpServers !== null)
      return { count: Object.keys(mcpServers).length, problems: [] };
  } catch (error) {
    return bad(`expected JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return bad("mcpServers: expected an object");
};

const bad = (message: string) => ({ count: 0, problems: [{ path: ".mcp.json", message }] });
