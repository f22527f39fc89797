import type { Request, RequestHandler } from "express";
import { type TaskRecord, changeTaskRequest, createTaskRequest } from "../../contract/engine/task.ts";
import { TASK_ARCHIVED, TASK_MESSAGES_LIMIT } from "../../contract/engine/task-routes.ts";
import { PAGE_LIMIT } from "../../contract/route-table.ts";
import { choiceParameter, flagParameter, integerParameter, parameter } from "../../shared/http/parameters.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { MemoryPortability } from "../memory/portability/memory-portability.ts";
import { messageNumber } from "../tasks/public-id.ts";
import { type TaskChanger, unknownTask } from "../tasks/task-changer.ts";
import { type TaskList, type TaskQuery, placeOf } from "../tasks/task-list.ts";
import type { MessagePlace, TaskMessageList } from "../tasks/task-messages.ts";
import type { TaskBranches } from "../turns/task-branches.ts";
import { type FollowTasksParts, followTasks } from "./follow-tasks.ts";
import { reachable } from "./task-bounds.ts";
import { busyMemory } from "./memory-file-routes.ts";

export interface TaskRouteParts extends FollowTasksParts {
  readonly taskList: TaskList;
  readonly taskMessages: TaskMessageList;
  readonly taskChanger: TaskChanger;
  readonly branches: Pick<TaskBranches, "list">;
  readonly memory: { readonly portability: Pick<MemoryPortability, "busy"> };
  readonly learning: { readonly running: boolean };
}

const MAX_QUERY_LENGTH = 1000;
const MAX_METADATA_FILTERS = 10;

/** The routes of tasks as records, and of their messages. */
export const taskRoutes = (parts: TaskRouteParts) =>
  ({
    async listTasks(request, response) {
      const query = readQuery(request);
      const cursor = parameter(request, "cursor");
      const after = cursor === undefined ? null : placeOf(cursor);
      if (cursor !== undefined && after === null)
        throw new InvalidInput("cursor", "expected the next_cursor of the previous page");
      const limit = integerParameter(request, "limit", PAGE_LIMIT);
      // A HEAD request has no body to stream.
      const isFollowed = flagParameter(request, "follow") && request.method !== "HEAD";
      if (!isFollowed || request.accepts(["application/json", "text/event-stream"]) !== "text/event-stream") {
        response.json(parts.taskList.page(query, { after, limit }));
        return;
      }
      if (query.words !== undefined) throw new InvalidInput("q", "expected no q together with follow=true");
      await followTasks(parts, { request, response }, { query, limit });
    },
    createTask(request, response) {
      const taskId = parts.taskChanger.create(validateBody(createTaskRequest, request.body ?? {}, response));
      response.status(201).json(parts.taskList.find(taskId));
    },
    showTask(request, response) {
      const task = storedTask(parts, request);
      const branches = flagParameter(request, "branches") && { branches: parts.branches.list(task.task_id) };
      const defaults = flagParameter(request, "defaults") && { defaults: parts.taskList.defaultsOf(task.task_id) };
      response.json({ ...task, ...branches, ...defaults } satisfies TaskRecord);
    },
    changeTask(request, response) {
      const change = validateBody(changeTaskRequest, request.body, response);
      parts.taskChanger.change(taskIdOf(request), change);
      response.json(storedTask(parts, request));
    },
    async deleteTask(request, response) {
      const forget = flagParameter(request, "forget");
      const { busy } = parts.memory.portability;
      if (busy !== null) throw busyMemory(busy);
      // A batch that has read the task would write what it has learned afterwards.
      if (forget && parts.learning.running)
        throw new EngineError("LC_RUNNING", "a learning batch is running; retry when it has finished");
      response.json(await parts.taskChanger.delete(taskIdOf(request), { forget }));
    },
    listMessages(request, response) {
      const { task_id: taskId } = storedTask(parts, request);
      const limit = integerParameter(request, "limit", TASK_MESSAGES_LIMIT);
      const branchId = readBranch(parts.branches, { request, taskId });
      response.json(parts.taskMessages.page(taskId, readPlace(request), { limit, branchId }));
    },
  }) satisfies Record<string, RequestHandler>;

const taskIdOf = (request: Request): string => String(request.params["task_id"]);

function storedTask({ taskList }: Pick<TaskRouteParts, "taskList">, request: Request): TaskRecord {
  const task = taskList.find(taskIdOf(request));
  if (task === null) throw unknownTask();
  return task;
}

function readQuery(request: Request): TaskQuery {
  const archived = choiceParameter(request, "archived", TASK_ARCHIVED) ?? "false";
  const words = parameter(request, "q");
  if (words !== undefined && words.length > MAX_QUERY_LENGTH)
    throw new InvalidInput("q", `expected at most ${MAX_QUERY_LENGTH} characters`);
  return {
    words,
    agent: parameter(request, "agent"),
    metadata: readMetadata(request),
    permits: reachable(request),
    archived: archived === "any" ? undefined : archived === "true",
  };
}

/** `metadata.folder=work` */
function readMetadata(request: Request): Readonly<Record<string, string>> {
  const prefix = "metadata.";
  const names = Object.keys(request.query).filter((name) => name.startsWith(prefix));
  if (names.length > MAX_METADATA_FILTERS)
    throw new InvalidInput("metadata", `expected at most ${MAX_METADATA_FILTERS} keys`);
  return Object.fromEntries(names.map((name) => [name.slice(prefix.length), parameter(request, name) ?? ""]));
}

/** Null without one. */
function readBranch(
  branches: TaskRouteParts["branches"],
  { request, taskId }: { readonly request: Request; readonly taskId: string },
): number | null {
  const branch = parameter(request, "branch");
  if (branch === undefined) return null;
  if (!branches.list(taskId).some(({ branch_id: id }) => id === branch))
    throw new EngineError("NOT_FOUND", "branch: the task has no branch with this id");
  return Number(branch.slice("branch_".length));
}

function readPlace(request: Request): MessagePlace {
  const [before, after] = [parameter(request, "before"), parameter(request, "after")];
  if (before !== undefined && after !== undefined)
    throw new InvalidInput("after", "expected no after together with before");
  const [kind, text] = after === undefined ? (["before", before] as const) : (["after", after] as const);
  if (text === undefined) return { kind: "end" };
  const id = messageNumber(text);
  if (id === null) throw new InvalidInput(kind, "expected a message_id");
  return { kind, id };
}
