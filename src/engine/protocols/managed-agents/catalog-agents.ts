import type { ClientTool } from "../../../contract/engine/client-tool.ts";
import type { CatalogEntry, EngineCalls } from "../engine-calls.ts";
import { type ProtocolHandler, type ProtocolRequest, sendJson } from "../protocol.ts";
import { readQuery } from "./list-query.ts";

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

export const listAgents: ProtocolHandler = async ({ request, response, calls }) => {
  const { limit, page } = readQuery(calls, request.query, { limit: { fallback: 100, max: 1000 } });
  const from = page === null ? 0 : Number(page);
  if (!Number.isInteger(from) || from < 0)
    throw calls.error("INVALID_REQUEST", "page: expected the next_page of the page before");
  const all = calls.agents();
  const next = from + limit < all.length ? String(from + limit) : null;
  sendJson(response, { data: all.slice(from, from + limit).map(shownAgent), next_page: next });
};

export const showAgent: ProtocolHandler = async ({ request, response, calls }) => {
  sendJson(response, foundAgent(calls, request));
};

export const listAgentVersions: ProtocolHandler = async ({ request, response, calls }) => {
  sendJson(response, { data: [foundAgent(calls, request)], next_page: null });
};

function foundAgent(calls: EngineCalls, request: ProtocolRequest): object {
  const { version } = request.query;
  const found = calls.agents().find(({ name }) => name === request.params["agent_id"]);
  if (found === undefined) throw calls.error("NOT_FOUND", "no agent of the catalog has this id");
  if (version !== undefined && version !== String(VERSION))
    throw calls.error("NOT_FOUND", `version: an agent of the catalog has only version ${VERSION}`);
  return shownAgent(found);
}
