import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { clientTool } from "../../../contract/engine/client-tool.ts";
import type { TaskDefaults, TaskPage, TaskRecord } from "../../../contract/engine/task.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { type ProtocolHandler, type ProtocolRequest, sendJson } from "../protocol.ts";
import { sessionAgent } from "./catalog-agents.ts";
import { ENVIRONMENT_ID, requireEnvironment } from "./session-environment.ts";
import { readQuery } from "./list-query.ts";
import { actionsOf, initialEvents } from "./send-events.ts";

const agentTools = z.array(z.looseObject({ type: z.string() })).check(z.maxLength(64));
const agentGiven = z.object({
  id: z.string(),
  type: z.enum(["agent", "agent_with_overrides"]),
  version: z.optional(z.int()),
  model: z.optional(z.union([z.string(), z.object({ id: z.string() })])),
  tools: z.optional(agentTools),
  system: z.optional(z.unknown()),
  mcp_servers: z.optional(z.unknown()),
  skills: z.optional(z.unknown()),
});
const others = {
  budget: z.optional(z.unknown()),
  resources: z.optional(z.unknown()),
  vault_ids: z.optional(z.unknown()),
};
const createRequest = z.object({
  agent: z.union([z.string(), agentGiven]),
  environment_id: z.string(),
  title: z.nullish(z.string()),
  metadata: z.optional(z.record(z.string(), z.string())),
  initial_events: z.optional(initialEvents),
  ...others,
});
const updateRequest = z.object({
  title: z.nullish(z.string()),
  metadata: z.nullish(z.record(z.string(), z.nullable(z.string()))),
  agent: z.optional(z.object({ tools: z.optional(agentTools), mcp_servers: z.optional(z.unknown()) })),
  ...others,
});

const idOf = (request: ProtocolRequest): string => String(request.params["session_id"]);

const taskOf = (calls: EngineCalls, taskId: string): Promise<TaskRecord> =>
  calls.call<TaskRecord>("showTask", { path: { task_id: taskId }, query: { defaults: "true" } });

/** A task as a session. */
function sessionOf(task: TaskRecord) {
  const { input_tokens: input, output_tokens: output, cache_hit_tokens: cached } = task.usage;
  const { model, client_tools: tools } = task.defaults ?? {};
  return {
    id: task.task_id,
    type: "session",
    title: task.title === "" ? null : task.title,
    status: task.state === "running" || task.state === "queued" ? "running" : "idle",
    agent: sessionAgent({ name: task.agent, description: null }, { model, tools }),
    environment_id: ENVIRONMENT_ID,
    metadata: task.metadata,
    created_at: task.created_at,
    updated_at: task.last_active_at,
    // The engine stores that a task is archived, and not since when.
    archived_at: task.archived ? task.last_active_at : null,
    usage: { input_tokens: input - cached, output_tokens: output, cache_read_input_tokens: cached },
    stats: {},
    budget: null,
    outcome_evaluations: [],
    resources: [],
    vault_ids: [],
  };
}

/** Throws for a field that the engine has no counterpart of, unless it is empty. */
function requireEmpty(calls: EngineCalls, given: Readonly<Record<string, unknown>>, at = ""): void {
  for (const [name, value] of Object.entries(given)) {
    const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) throw calls.error("INVALID_REQUEST", `${at}${name}: not supported`);
  }
}

/** The tools that the client runs. Those of the engine are the catalog's. */
function toolsOf(calls: EngineCalls, tools: z.output<typeof agentTools>, at: string): TaskDefaults["client_tools"] {
  return tools.map(({ type, ...tool }, index) => {
    if (type !== "custom")
      throw calls.error("INVALID_REQUEST", `${at}.${index}.type: expected custom; the catalog has the engine's tools`);
    const checked = clientTool.safeParse(tool);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      throw calls.error("INVALID_REQUEST", `${[at, index, ...(issue?.path ?? [])].join(".")}: ${issue?.message}`);
    }
    return checked.data;
  });
}

function defaultsOf(calls: EngineCalls, agent: z.output<typeof createRequest>["agent"]): TaskDefaults {
  if (typeof agent === "string") return { agent };
  const { id, type, version, model, tools = [], ...rest } = agent;
  if (version !== undefined && version !== 1)
    throw calls.error("NOT_FOUND", "agent.version: an agent of the catalog has only version 1");
  if (type === "agent") return { agent: id };
  requireEmpty(calls, rest, "agent.");
  const own = toolsOf(calls, tools, "agent.tools") ?? [];
  const named = typeof model === "string" ? model : model?.id;
  return { agent: id, ...(named !== undefined && { model: named }), ...(own.length > 0 && { client_tools: own }) };
}

/** The same `Idempotency-Key` is the same session. */
export const createSession: ProtocolHandler = async ({ request, response, calls }) => {
  const { agent, environment_id, title, metadata, initial_events, ...rest } = calls.validate(
    createRequest,
    request.body,
  );
  requireEmpty(calls, rest);
  requireEnvironment(calls, environment_id);
  const key = request.headers["idempotency-key"]?.toString();
  const actions = actionsOf(calls, initial_events ?? [], { field: "initial_events", key });
  const taskId = key === undefined ? undefined : `sesn_${createHash("sha256").update(key).digest("hex").slice(0, 24)}`;
  const body = {
    ...(taskId !== undefined && { task_id: taskId }),
    ...(typeof title === "string" && { title }),
    ...(metadata && { metadata }),
    defaults: defaultsOf(calls, agent),
  };
  const id = await created(calls, body);
  for (const act of actions) await act(calls, id);
  sendJson(response, sessionOf(await taskOf(calls, id)));
};

async function created(calls: EngineCalls, body: { readonly task_id?: string }): Promise<string> {
  try {
    return (await calls.call<TaskRecord>("createTask", { body })).task_id;
  } catch (error) {
    if (body.task_id !== undefined && calls.described(error).code === "TASK_EXISTS") return body.task_id;
    throw error;
  }
}

export const showSession: ProtocolHandler = async ({ request, response, calls }) =>
  sendJson(response, sessionOf(await taskOf(calls, idOf(request))));

export const updateSession: ProtocolHandler = async ({ request, response, calls }) => {
  const { title, metadata, agent, ...rest } = calls.validate(updateRequest, request.body ?? {});
  requireEmpty(calls, { ...rest, ...(agent?.mcp_servers !== undefined && { "agent.mcp_servers": agent.mcp_servers }) });
  const id = idOf(request);
  const { defaults = {} } = await taskOf(calls, id);
  const tools = agent?.tools === undefined ? undefined : toolsOf(calls, agent.tools, "agent.tools");
  const body = {
    ...(typeof title === "string" && { title }),
    ...(metadata && { metadata }),
    ...(tools !== undefined && { defaults: { ...defaults, client_tools: tools } }),
  };
  await calls.call("changeTask", { path: { task_id: id }, body });
  sendJson(response, sessionOf(await taskOf(calls, id)));
};

export const archiveSession: ProtocolHandler = async ({ request, response, calls }) => {
  const id = idOf(request);
  await calls.call("changeTask", { path: { task_id: id }, body: { archived: true } });
  sendJson(response, sessionOf(await taskOf(calls, id)));
};

export const deleteSession: ProtocolHandler = async ({ request, response, calls }) => {
  const id = idOf(request);
  await calls.call("deleteTask", { path: { task_id: id } });
  sendJson(response, { id, type: "session_deleted" });
};

/** The latest activity first, as the engine's own list. */
export const listSessions: ProtocolHandler = async ({ request, response, calls }) => {
  const query = readQuery(calls, request.query, { limit: { fallback: 20, max: 100 }, orders: ["desc"] });
  for (const name of ["agent_version", "deployment_id", "memory_store_id"])
    if (query.text(name) !== null) throw calls.error("INVALID_REQUEST", `${name}: not supported`);
  const agent = query.text("agent_id");
  const statuses = query.list("statuses");
  const { items, next_cursor: next } = await calls.call<TaskPage>("listTasks", {
    query: {
      limit: String(query.limit),
      archived: query.flag("include_archived") ? "any" : "false",
      ...(agent !== null && { agent }),
      ...(query.page !== null && { cursor: query.page }),
    },
  });
  const data = items
    .filter(({ created_at: at }) => query.isWithin(at))
    .map(sessionOf)
    .filter(({ status }) => statuses.length === 0 || statuses.includes(status));
  sendJson(response, { data, next_page: next, prev_page: null });
};

/** A session has no resources of its own: all sessions share the workspace. */
export const listResources: ProtocolHandler = async ({ request, response, calls }) => {
  await taskOf(calls, idOf(request));
  sendJson(response, { data: [], next_page: null });
};
