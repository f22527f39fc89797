import { ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import { SCOPES_HEADER } from "../../contract/engine/headers.ts";
import { ENGINE_ROUTES, type EngineRoute, type EngineRouteName } from "../../contract/engine/routes.ts";
import { neededScopesOf } from "../../contract/engine/needed-scopes.ts";
import { EngineError } from "../engine-error.ts";
import type { RouteCall } from "../protocols/engine-calls.ts";
import { bindLike } from "./task-bounds.ts";

/** A call of the engine's interface that a call of another protocol leads to, with the rights of that one. */
export function innerRequest(
  request: Request,
  { path = {}, query = {}, body = {}, bytes }: RouteCall & { readonly bytes?: Uint8Array },
): Request {
  const own = {
    params: { value: path },
    query: { value: query },
    body: { value: body },
    ...(bytes !== undefined && sentBytes(request, bytes)),
  };
  const inner = Object.create(request, own) as Request;
  bindLike(request, inner);
  return inner;
}

/** A body of bytes instead of the call's own. */
function sentBytes({ headers }: Request, bytes: Uint8Array): PropertyDescriptorMap {
  const { "if-match": _match, "if-none-match": _none, "transfer-encoding": _coding, ...rest } = headers;
  return {
    headers: { value: { ...rest, "content-length": String(bytes.length) } },
    iterator: {
      async *value() {
        yield bytes;
      },
    },
  };
}

/** Throws `INSUFFICIENT_SCOPE` for a route that the caller's token does not permit. A key permits all. */
export function assertPermitted(request: Request, name: EngineRouteName): void {
  const text = request.get(SCOPES_HEADER);
  if (text === undefined) return;
  const scopes = neededScopesOf(ENGINE_ROUTES[name], Object.keys(request.query));
  if (scopes === null) throw new EngineError("INSUFFICIENT_SCOPE", "no token of an end user permits this call");
  const given = new Set(text.split(" "));
  const missing = scopes.find((scope) => !given.has(scope));
  if (missing !== undefined)
    throw new EngineError("INSUFFICIENT_SCOPE", `the call needs the scope ${missing}`, { scope: missing });
}

type Handlers = Readonly<Partial<Record<EngineRouteName, RequestHandler>>>;

export interface CalledRoutes {
  readonly handlers: Handlers;
  readonly within: (name: EngineRouteName) => RequestHandler;
}

/** Calls a route that answers with JSON. Returns what it answers, or throws what it throws. */
export async function callRoute(routes: CalledRoutes, name: EngineRouteName, request: Request): Promise<unknown> {
  const { response, body } = jsonResponse(request);
  await answerLike(routes, name, { request, response });
  return body();
}

/** Answers a call as another route does. */
export async function answerLike(
  { handlers, within }: CalledRoutes,
  name: EngineRouteName,
  { request, response }: { readonly request: Request; readonly response: Response },
): Promise<void> {
  const handler = handlers[name];
  const { auth }: EngineRoute = ENGINE_ROUTES[name];
  if (handler === undefined || auth !== "engine") throw new Error(`${name} is no route for other protocols`);
  assertPermitted(request, name);
  const next = (error?: unknown) => {
    if (error !== undefined) throw error;
  };
  await within(name)(request, response, next);
  await handler(request, response, next);
}

/** A response without a connection, which keeps the JSON that it is given. */
function jsonResponse(request: Request): { readonly response: Response; readonly body: () => unknown } {
  let kept: unknown;
  const response = Object.assign(new ServerResponse(request), {
    locals: {},
    set: () => response,
    json(value: unknown) {
      kept = value;
      return response;
    },
    status(code: number) {
      response.statusCode = code;
      return response;
    },
  });
  // Handlers of routes that answer with JSON use no more of it.
  return { response: response as unknown as Response, body: () => kept };
}
