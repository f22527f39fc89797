import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import type { ServerAsset, ServerToolAsset } from "../../contract/engine/tool-server.ts";
import { readModelName } from "../../contract/settings/model-name.ts";
import { adaptedTools } from "../model/wire/wire-tools.ts";
import type { CatalogProfiles } from "./agent-profiles.ts";
import type { AllowedAgentsAndTools } from "./allowed-agents-and-tools.ts";

interface ShownTools {
  /** Tools that no request can have: name to reason. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Tools that tool search loads. */
  readonly deferred: ReadonlySet<string>;
  /** Tools whose input schema was rewritten for the provider. */
  readonly adapted: ReadonlySet<string>;
  readonly allowed: Pick<AllowedAgentsAndTools, "hasTool">;
}

const ADAPTED = "the input schema was rewritten for the provider";
const NOT_ALLOWED = "the product's policy does not allow it";
const DEFERRED = "loaded by tool search when the model needs it";

/** The MCP servers for `GET /assets/servers`, with the tools that the default agent's model is not shown marked. */
export function shownServers<Listed extends { readonly servers: readonly ServerAsset[] }>(
  listed: Listed,
  {
    profiles,
    allowed,
    provider,
  }: {
    readonly profiles: CatalogProfiles;
    readonly allowed: ShownTools["allowed"];
    readonly provider: Parameters<typeof adaptedTools>[1]["provider"];
  },
): Listed {
  const { model, registry } = profiles.ofAgent(DEFAULT_AGENT);
  const adapted = adaptedTools(registry.modelTools, readModelName(model, provider));
  return { ...listed, servers: listServers(listed.servers, { ...profiles.omitted(DEFAULT_AGENT), adapted, allowed }) };
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

function shownTool(tool: ServerToolAsset, { leftOut, deferred, adapted, allowed }: ShownTools): ServerToolAsset {
  if (tool.status !== "offered") return tool;
  const reason = allowed.hasTool(tool.name) ? leftOut.get(tool.name) : NOT_ALLOWED;
  if (reason !== undefined) return { ...tool, status: "left_out", reason };
  const notes = [...(deferred.has(tool.name) ? [DEFERRED] : []), ...(adapted.has(tool.name) ? [ADAPTED] : [])];
  return notes.length > 0 ? { ...tool, note: notes.join("; ") } : tool;
}
