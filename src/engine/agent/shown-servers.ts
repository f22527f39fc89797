import type { ServerAsset, ServerToolAsset } from "../../contract/engine-api.ts";

export interface ShownTools {
  /** Names of tools that the model cannot be shown, with the reason. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Names of tools that it is shown in another form. */
  readonly adapted: ReadonlySet<string>;
}

const ADAPTED = "the model is shown its arguments in a form that its provider takes";

/** The tool servers with what became of their tools on the way to the model. */
export function shownServers(servers: readonly ServerAsset[], shown: ShownTools): readonly ServerAsset[] {
  return servers.map((server) => {
    const tools = server.tools.map((tool) => shownTool(tool, shown));
    const leftOut = server.tools.flatMap(({ name, status }) =>
      status === "offered" ? (shown.leftOut.get(name) ?? []) : [],
    );
    if (leftOut.length === 0) return { ...server, tools };
    const told = `${leftOut.length} tools are left out: ${[...new Set(leftOut)].join("; ")}`;
    return { ...server, tools, error: server.error === undefined ? told : `${server.error}; ${told}` };
  });
}

function shownTool(tool: ServerToolAsset, { leftOut, adapted }: ShownTools): ServerToolAsset {
  if (tool.status !== "offered") return tool;
  const reason = leftOut.get(tool.name);
  if (reason !== undefined) return { ...tool, status: "left_out", reason };
  return adapted.has(tool.name) ? { ...tool, note: ADAPTED } : tool;
}
