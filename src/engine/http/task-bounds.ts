import type { IncomingMessage } from "node:http";
import type { Request, RequestHandler } from "express";
import { BOUND_KEY_HEADER, type TaskBounds, permitsTask, readBoundKey } from "../../contract/engine/task-bounds.ts";
import { ENGINE_KEY_HEADER } from "../../contract/engine/headers.ts";
import type { EngineRouteName } from "../../contract/engine/routes.ts";
import { parameter } from "../../shared/http/parameters.ts";
import { EngineError } from "../engine-error.ts";

const bounds = new WeakMap<IncomingMessage, TaskBounds>();

type Named = (request: Request, taskOf: (turnId: string) => string | null) => unknown;
const path: Named = ({ params }) => params["task_id"];
const body: Named = (request) => (request.body as { readonly task_id?: unknown } | undefined)?.task_id;
const query: Named = (request) => parameter(request, "task_id");
/** A turn has one task, and stands for it. */
const queryOrTurn: Named = (request, taskOf) =>
  parameter(request, "task_id") ?? taskOf(parameter(request, "turn_id") ?? "");

/**
 * Where a call names its tasks, each of which must be one of those that its key is bound to. Empty: the handler leaves out
 * other tasks. A route without a row refuses calls with such a key.
 */
const NAMED: Partial<Record<EngineRouteName, readonly Named[]>> = {
  execute: [body],
  replay: [queryOrTurn],
  cancel: [body],
  listInbox: [path],
  editMessage: [path],
  removeMessage: [path],
  respond: [],
  pending: [],
  respondTool: [],
  pendingTools: [],
  listTurns: [query],
  showTurn: [],
  listTasks: [],
  createTask: [body],
  showTask: [path],
  changeTask: [path],
  deleteTask: [path],
  listMessages: [path],
  listArtifacts: [path],
  // The new task too.
  forkTask: [path, body],
  rewindTask: [path],
};

/** The key of a call. One that is bound to tasks binds the call. Clients of other protocols send it as they do. */
export function keyOf(request: Request, { isProtocol }: { readonly isProtocol: boolean }): string | undefined {
  const text = request.get(BOUND_KEY_HEADER);
  if (text === undefined) return request.get(ENGINE_KEY_HEADER) ?? (isProtocol ? foreignKey(request) : undefined);
  const bound = readBoundKey(text);
  if (bound !== null) bounds.set(request, bound.bounds);
  return bound?.key;
}

const foreignKey = (request: Request): string | undefined =>
  /^Bearer +(\S+)$/i.exec(request.get("Authorization") ?? "")?.[1] ?? request.get("X-Api-Key");

/** Binds a call that another one leads to as that one is bound. */
export function bindLike(request: IncomingMessage, inner: IncomingMessage): void {
  const bound = bounds.get(request);
  if (bound !== undefined) bounds.set(inner, bound);
}

/** Whether a call may learn of a task. */
export function mayReach(request: IncomingMessage, taskId: string | null): boolean {
  const bound = bounds.get(request);
  return bound === undefined || (taskId !== null && permitsTask(bound, taskId));
}

/** Which tasks a list may show. Undefined: all. */
export function reachable(request: IncomingMessage): ((taskId: string) => boolean) | undefined {
  const bound = bounds.get(request);
  return bound && ((taskId) => permitsTask(bound, taskId));
}

/** Keeps a call to its tasks. After the body has been parsed. */
export function withinTasks(name: EngineRouteName, runner: { taskOf(turnId: string): string | null }): RequestHandler {
  const taskOf = (turnId: string) => runner.taskOf(turnId);
  return (request, _response, next) => {
    const bound = bounds.get(request);
    if (bound === undefined) return next();
    const named = NAMED[name];
    if (named === undefined) throw outside("no token that is bound to tasks permits this call");
    for (const find of named) {
      const task = find(request, taskOf);
      if (typeof task !== "string" || !permitsTask(bound, task)) throw outside("task_id: expected a task of the token");
    }
    next();
  };
}

const outside = (message: string): EngineError => new EngineError("INSUFFICIENT_SCOPE", message);
