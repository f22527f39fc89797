import { type IntegerParameter, PAGE, type Parameter, events, json, ok } from "../route-table.ts";
import { type EngineRoute, engine } from "./route-row.ts";
import { ENGINE_BODY_BYTES } from "./requests.ts";
import { changeTaskRequest, createTaskRequest } from "./task.ts";

export const TASK_ARCHIVED = ["false", "true", "any"] as const;
export const TASK_MESSAGES_LIMIT: IntegerParameter = {
  kind: "integer",
  min: 1,
  max: 200,
  fallback: 50,
  summary: "Largest number of messages. A page of large ones has fewer",
};

const FILTER = {
  q: {
    kind: "text",
    maxLength: 1000,
    summary: "Only tasks with all of these words in one message, or in the title. Not with `follow`",
  },
  archived: {
    kind: "choice",
    values: TASK_ARCHIVED,
    fallback: "false",
    summary: "`false`: without archived ones, `true`: only these, `any`: all",
  },
  agent: { kind: "text", summary: "Only tasks whose last turn this agent ran" },
  metadata: { kind: "map", summary: "Only tasks with this value of a key of their `metadata`" },
} as const satisfies Record<string, Parameter>;

/** Tasks, which are conversations, as records. */
export const ENGINE_TASK_ROUTES = {
  listTasks: engine(
    "GET /tasks",
    "List or [search](conversations.md#search) tasks, the latest activity first, or [follow](conversations.md#a-list-that-lives) the list",
    {
      role: "operator",
      scope: "tasks:read",
      query: {
        ...FILTER,
        ...PAGE,
        follow: { kind: "flag", summary: "With `Accept: text/event-stream`: the first page, then each change" },
      },
      responses: { 200: [json("TaskPage"), events("TaskEvent")] },
      errors: ["TOO_MANY_READERS"],
    },
  ),
  createTask: engine("POST /tasks", "[Create](conversations.md#create-a-task) a task before its first message", {
    role: "operator",
    scope: "tasks:write",
    request: createTaskRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.respond,
    repeatable: false,
    responses: { 201: [json("Task")] },
    errors: ["NOT_FOUND", "TASK_EXISTS"],
  }),
  showTask: engine("GET /tasks/{task_id}", "Get a task", {
    role: "operator",
    scope: "tasks:read",
    query: {
      branches: { kind: "flag", summary: "Adds its [branches](conversations.md#rewind)" },
      defaults: { kind: "flag", summary: "Adds the [defaults](conversations.md#create-a-task) of its messages" },
    },
    responses: ok("Task"),
    errors: ["NOT_FOUND"],
  }),
  changeTask: engine("PATCH /tasks/{task_id}", "Rename or archive a task, or change its metadata or defaults", {
    role: "operator",
    scope: "tasks:write",
    request: changeTaskRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.respond,
    responses: ok("Task"),
    errors: ["NOT_FOUND"],
  }),
  deleteTask: engine("DELETE /tasks/{task_id}", "[Delete](conversations.md#delete-a-task) a task with its messages", {
    role: "operator",
    scope: "tasks:write",
    query: {
      forget: { kind: "flag", scope: "memory:erase", summary: "Also what memory has learned from this task alone" },
    },
    repeatable: false,
    responses: ok("TaskDeleted"),
    errors: ["NOT_FOUND", "TASK_BUSY", "LC_RUNNING", "MEMORY_BUSY", "ENGINE_DRAINING"],
  }),
  listMessages: engine("GET /tasks/{task_id}/messages", "List the [messages](conversations.md#messages) of a task", {
    role: "operator",
    scope: "tasks:read",
    query: {
      before: { kind: "text", summary: "Only messages before this `message_id`. Not together with `after`" },
      after: { kind: "text", summary: "Only messages after this `message_id`. Without both, the last ones" },
      branch: {
        kind: "text",
        summary: "Of this branch, as `branches` of the task names it. The current one when omitted",
      },
      limit: TASK_MESSAGES_LIMIT,
    },
    responses: ok("TaskMessages"),
    errors: ["NOT_FOUND"],
  }),
} as const satisfies Record<string, EngineRoute>;
