import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import type { ServerAsset, ServerToolAsset } from "../../contract/engine/tool-server.ts";
import { readModelName } from "../../contract/settings/model-name.ts";
import { adaptedTools } from "../model/wire/wire-tools.ts";
import type { CatalogProfiles } from "./agent-profiles.ts";

interface ShownTools {
  /** Tools omitted from the model's request: name to reason. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Tools whose input schema was rewritten for the provider. */
  readonly adapted: ReadonlySet<string>;
}

const ADAPTED = "the input schema was rewritten for the provider";

/** The MCP servers for `GET /assets/servers`, with the tools that the default agent's model is not shown marked. */
export function shownServers<Listed extends { readonly servers: readonly ServerAsset[] }>(
  listed: Listed,
  {
    profiles,
    provider,
  }: { readonly profiles: CatalogProfiles; readonly provider: Parameters<typeof adaptedTools>[1]["provider"] },
): Listed {
  const { model, registry } = profiles.ofAgent(DEFAULT_AGENT);
  const adapted = adaptedTools(registry.modelTools, readModelName(model, provider));
  return { ...listed, servers: listServers(listed.servers, { leftOut: profiles.leftOut(DEFAULT_AGENT), adapted }) };
}

function listServers(servers: readonly ServerAsset[], shown: ShownTools): readonly ServerAsset[] {
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
