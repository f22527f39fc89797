import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import {
  IGNORED_FIELDS_HEADER,
  MAX_BODY_BYTES,
  ORCHESTRATOR_ROUTES,
  REQUEST_ID_HEADER,
  type Route,
  type RouteName,
} from "../../contract/orchestrator-api.ts";
import { newId } from "../../kit/ids.ts";
import { withinRequest } from "../../kit/request-context.ts";
import { ApiError } from "../api-error.ts";
import type { Product } from "../operations/identify-product.ts";
import type { Orchestration } from "../operations/orchestration.ts";
import { authenticateAdmin, authenticatePlatform, isLocal } from "./authenticate.ts";
import type { Call, Handler } from "./call.ts";
import { readBody } from "./call.ts";
import { errorResponder } from "./error-responder.ts";
import { answerOnce } from "./idempotency.ts";
import { RequestLimit } from "./limit-requests.ts";

export interface AppParts {
  readonly handlers: Readonly<Record<RouteName, Handler>>;
  readonly adminKey: string;
  readonly isDatabaseAway: (error: unknown) => boolean;
}

/**
 * The order every call goes through: request id, route (404, 405), body size, readiness, authentication, rate limit,
 * idempotency key; then the handler checks fields, policy, existence, quota, port and backend.
 */
export function createApp(o: Orchestration, { handlers, adminKey, isDatabaseAway }: AppParts): Express {
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", "simple");
  const limit = new RequestLimit(o.now);
  app.use(identifyRequest);
  const body = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });
  for (const [name, route] of Object.entries(ORCHESTRATOR_ROUTES) as [RouteName, Route][]) {
    const admitCaller = async (request: Request, response: Response): Promise<Product | null> => {
      if (route.auth === "none") return null;
      if (route.auth === "local") {
        if (!isLocal(request)) authenticateAdmin(adminKey, request);
        return null;
      }
      o.readiness.assertServes(route.method === "GET" ? "read" : "write");
      if (route.auth === "admin") {
        authenticateAdmin(adminKey, request);
        return null;
      }
      const product = await authenticatePlatform(o, request);
      limit.count(product, response);
      return product;
    };
    const answer = async (request: Request, response: Response): Promise<void> => {
      const product = await admitCaller(request, response);
      const work = async () => handlers[name](callOf(request, response, product));
      const result = await answerOnce(o, { request, response, product }, work);
      if (result === undefined) return;
      if (result.secret) response.set("Cache-Control", "no-store");
      response.status(result.status).json(result.body);
    };
    const answerInContext: RequestHandler = (request, response) => {
      const actor = route.auth === "platform" ? ("product" as const) : ("admin" as const);
      return withinRequest({ requestId: requestIdOf(response), actor }, () => answer(request, response));
    };
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const verb = route.method.toLowerCase() as "get" | "post" | "put" | "delete";
    if (route.method === "GET") app.get(path, answerInContext);
    else app[verb](path, body, answerInContext);
  }
  app.use(refuseUnknown);
  app.use(errorResponder(o.logger, isDatabaseAway));
  return app;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export const identifyRequest: RequestHandler = (request, response, next) => {
  const given = request.get(REQUEST_ID_HEADER);
  response.set(REQUEST_ID_HEADER, given !== undefined && REQUEST_ID.test(given) ? given : newId("req"));
  next();
};

const requestIdOf = (response: Response): string => String(response.getHeader(REQUEST_ID_HEADER));

function callOf(request: Request, response: Response, product: Product | null): Call {
  return {
    params: request.params as Record<string, string>,
    query: Object.fromEntries(
      Object.entries(request.query).map(([name, value]) => [
        name,
        Array.isArray(value) ? String(value.at(-1)) : String(value),
      ]),
    ),
    headers: request.headers,
    get clientGone() {
      const gone = new AbortController();
      response.once("close", () => gone.abort());
      return gone.signal;
    },
    get product() {
      if (product === null) throw new Error("this route authenticates no product");
      return product;
    },
    body: (schema) =>
      readBody(schema, request.body, (ignored) => {
        if (ignored.length > 0)
          response.set(IGNORED_FIELDS_HEADER, ignored.map(encodeURIComponent).join(", ").slice(0, 1000));
      }),
    response,
  };
}

const routePatterns = Object.values<Route>(ORCHESTRATOR_ROUTES).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`, "i"),
}));

/** The path is known with another method (405), or not at all (404). */
const refuseUnknown: RequestHandler = (request, response) => {
  const methods = routePatterns.filter(({ pattern }) => pattern.test(request.path)).map(({ method }) => method);
  if (methods.length === 0) throw new ApiError("NOT_FOUND", "no such route");
  response.set("Allow", [...new Set(methods)].join(", "));
  throw new ApiError("METHOD_NOT_ALLOWED", `expected ${[...new Set(methods)].join(" or ")}`);
};
