import type { CatalogEntry } from "../../../contract/engine/catalog.ts";
import type { ClientTool } from "../../../contract/engine/client-tool.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { type ProtocolHandler, sendJson } from "../protocol.ts";
import { readQuery } from "./query.ts";

/** The catalog has no times and no versions. */
const UNKNOWN_TIME = "1970-01-01T00:00:00.000Z";
const VERSION = 1;
/** The engine's name of the model of its settings. */
const MODEL_OF_SETTINGS = "main";

const customTool = ({ name, description, input_schema }: ClientTool) => ({
  type: "custom",
  name,
  description,
  input_schema,
});

/** An agent as a session has it. */
export const sessionAgent = (
  { name, description }: Pick<CatalogEntry, "name"> & { readonly description: string | null },
  {
    model,
    tools = [],
  }: { readonly model?: string | undefined; readonly tools?: readonly ClientTool[] | undefined } = {},
) => ({
  id: name,
  type: "agent",
  name,
  description,
  version: VERSION,
  model: { id: model ?? MODEL_OF_SETTINGS },
  system: null,
  tools: tools.map(customTool),
  mcp_servers: [],
  skills: [],
  multiagent: null,
  execution_identity: { type: "service_account" },
});

const shownAgent = (entry: CatalogEntry) => ({
  ...sessionAgent(entry),
  metadata: {},
  created_at: UNKNOWN_TIME,
  updated_at: UNKNOWN_TIME,
  archived_at: null,
});

const agentsOf = async (calls: EngineCalls): Promise<readonly CatalogEntry[]> =>
  (await calls.call<{ readonly agents: readonly CatalogEntry[] }>("showCatalog")).agents;

export const listAgents: ProtocolHandler = async ({ request, response, calls }) => {
  const { limit, page } = readQuery(calls, request.query, { limit: { fallback: 100, max: 1000 } });
  const from = page === null ? 0 : Number(page);
  if (!Number.isInteger(from) || from < 0)
    throw calls.error("INVALID_REQUEST", "page: expected the next_page of the page before");
  const all = await agentsOf(calls);
  const next = from + limit < all.length ? String(from + limit) : null;
  sendJson(response, { data: all.slice(from, from + limit).map(shownAgent), next_page: next });
};

export const showAgent: ProtocolHandler = async ({ request, response, calls }) => {
  sendJson(response, await foundAgent(calls, request));
};

export const listAgentVersions: ProtocolHandler = async ({ request, response, calls }) => {
  sendJson(response, { data: [await foundAgent(calls, request)], next_page: null });
};

async function foundAgent(calls: EngineCalls, request: Parameters<ProtocolHandler>[0]["request"]): Promise<object> {
  const { version } = request.query;
  const found = (await agentsOf(calls)).find(({ name }) => name === request.params["agent_id"]);
  if (found === undefined) throw calls.error("NOT_FOUND", "no agent of the catalog has this id");
  if (version !== undefined && version !== String(VERSION))
    throw calls.error("NOT_FOUND", `version: an agent of the catalog has only version ${VERSION}`);
  return shownAgent(found);
}
