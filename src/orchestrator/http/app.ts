import { once } from "node:events";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import { BODY_LIMITS } from "../../contract/orchestrator/requests.ts";
import { REQUEST_ID_HEADER } from "../../contract/orchestrator/headers.ts";
import { ORCHESTRATOR_ROUTES, type RouteName } from "../../contract/orchestrator/routes.ts";
import { type Route, isProducts, maxBodyBytes } from "../../contract/orchestrator/routes/route-row.ts";
import { expressPath, methodsOf } from "../../contract/route-table.ts";
import { newId } from "../../shared/ids.ts";
import { BodyBufferLimit } from "../../shared/http/body-buffer-limit.ts";
import { parseJsonBody } from "../../shared/http/json-body.ts";
import { parameter } from "../../shared/http/parameters.ts";
import { assertDeclaredSize, receiveBody } from "../../shared/http/receive-body.ts";
import { refuseUnknownRoute } from "../../shared/http/refusal.ts";
import { startRequestTrace } from "../../shared/http/trace-request.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { assertStorable } from "../../shared/parse.ts";
import { currentRequest, withinRequest } from "../../shared/request-context.ts";
import { NO_SPAN } from "../../shared/tracing/span.ts";
import type { Records, Runtime, Service } from "../host-context.ts";
import { type Caller, admitCaller } from "./admit-caller.ts";
import type { OriginCheck } from "./origin-check.ts";
import type { ConsoleCookie } from "./console-cookie.ts";
import { callerOf } from "../status/sessions.ts";
import type { Answer, Call, Handler } from "./call.ts";
import { type UnavailableReason, errorResponder } from "./error-responder.ts";
import { answerOnce } from "./idempotency.ts";
import { RequestLimit } from "./limit-requests.ts";
import { ProductQueues } from "./product-queues.ts";
import { RoutesByFolder } from "./routes-by-folder.ts";

/** Bodies of other methods are not read. */
const TAKES_BODY: ReadonlySet<Route["method"]> = new Set(["POST", "PUT", "PATCH"]);
/** Concurrent JSON parses of one product. Parsing is synchronous, so more would only delay other products. */
const PARSED_AT_ONCE = 1;
/** Concurrent list responses of one product. */
const LISTS_AT_ONCE = 2;
/** Memory for the bodies of all calls that are being received. One product gets at most a quarter. */
const MAX_BODIES_BYTES = 64 * 1024 ** 2;
/** A client that does not read its list for this long is disconnected. */
const UNREAD_LIST_MS = 30_000;

interface AppParts {
  readonly handlers: Readonly<Record<RouteName, Handler>>;
  readonly adminKey: string;
  readonly site: OriginCheck;
  readonly cookie: ConsoleCookie;
  readonly unavailableReasonOf: UnavailableReason;
}

/**
 * The order of checks of every call: request id, route (404, 405), declared body size, readiness, authentication, rate
 * limit. Then the body is read: idempotency key, JSON. The handler checks fields, policy, existence, quota, port and
 * backend.
 */
export function createApp(
  host: Records & Service & Runtime,
  { handlers, adminKey, site, cookie, unavailableReasonOf }: AppParts,
): Express {
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", "simple");
  const admission = { host, adminKey, site, cookie, limit: new RequestLimit(host.now) };
  const room = new BodyBufferLimit({ total: MAX_BODIES_BYTES, each: MAX_BODIES_BYTES / 4 });
  const [parsing, lists] = [new ProductQueues(PARSED_AT_ONCE), new ProductQueues(LISTS_AT_ONCE)];
  app.use(identifyRequest);
  const routes = new RoutesByFolder();
  for (const [name, route] of Object.entries(ORCHESTRATOR_ROUTES) as [RouteName, Route][]) {
    const answer = async (request: Request, response: Response): Promise<void> => {
      // Before authentication, since nothing of the body is read.
      assertDeclaredSize(request, maxBodyBytes(route));
      const caller = await admitCaller(admission, route, { request, response });
      await withinSession(caller, () => answerCaller(caller, { request, response }));
    };
    const answerCaller = async (
      caller: Caller,
      { request, response }: { readonly request: Request; readonly response: Response },
    ): Promise<void> => {
      const { product } = caller;
      const owner = product?.record.id ?? route.auth;
      const call = (json: unknown, bytes?: Uint8Array) => callOf(request, response, { caller, json, bytes, lists });
      if (!TAKES_BODY.has(route.method)) return send(response, await handlers[name](call(undefined)));
      const expected = expectedBody(route);
      const body = await receiveBody(request, { maxBytes: maxBodyBytes(route), room, owner, expected });
      const work = async () => {
        if (takesBytes(route)) return handlers[name](call(undefined, body.bytes));
        const json = await parsing.run(owner, () => parseJsonBody(body.bytes, BODY_LIMITS)).finally(body.release);
        return handlers[name](call(json));
      };
      try {
        send(response, await answerOnce(host, { request, response, product, body, isRaw: route.rawBody }, work));
      } finally {
        body.release();
      }
    };
    const answerInContext: RequestHandler = (request, response) => {
      const actor = isProducts(route) ? ("product" as const) : ("admin" as const);
      // Otherwise most traces would be probes of load balancers and Prometheus.
      const isTraced = route.auth === "platform" || route.auth === "admin";
      const { span } = isTraced ? startRequestTrace(host.tracer, route, { request, response }) : { span: NO_SPAN };
      return withinRequest({ requestId: requestIdOf(response), actor, span }, () => answer(request, response));
    };
    const verb = route.method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete";
    routes.of(route.path)[verb](expressPath(route.path), answerInContext);
  }
  app.use(routes.handle);
  app.use(refuseUnknownRoute(methodsOf(Object.values(ORCHESTRATOR_ROUTES))));
  // Errors during shutdown, such as a query of a closed pool, are temporary for the client.
  const stopReason = (): string | null => (host.stopping.aborted ? "orchd is stopping" : null);
  app.use(errorResponder(host.logger, (error) => unavailableReasonOf(error) ?? stopReason()));
  return app;
}

/** Runs a session's call with the actor `admin` and the session's id, for the audit log. */
function withinSession<T>({ session }: Caller, work: () => T): T {
  const request = currentRequest();
  if (session === null || request === undefined) return work();
  return withinRequest({ ...request, actor: "admin", ...callerOf(session) }, work);
}

const takesBytes = ({ requestArchive, requestBytes, rawBody }: Route): boolean =>
  requestArchive === true || requestBytes === true || rawBody === true;

function expectedBody({ requestArchive, requestBytes, rawBody }: Route): string {
  if (requestArchive === true) return "a tar.gz archive";
  if (requestBytes === true) return "a file";
  return rawBody === true ? "text" : "JSON";
}

function send(response: Response, result: Answer): void {
  if (result === undefined) return;
  if (result.secret) response.set("Cache-Control", "no-store");
  // `json` of Express would encode the text to write it apart from the headers, and compare validators that none has.
  const text = JSON.stringify(result.body);
  response.statusCode = result.status;
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(text);
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export const identifyRequest: RequestHandler = (request, response, next) => {
  const given = request.get(REQUEST_ID_HEADER);
  response.setHeader(REQUEST_ID_HEADER, given !== undefined && REQUEST_ID.test(given) ? given : newId("req"));
  next();
};

const requestIdOf = (response: Response): string => String(response.getHeader(REQUEST_ID_HEADER));

function callOf(
  request: Request,
  response: Response,
  {
    caller: { product, session, isStillAdmitted, chargeRest },
    json,
    bytes = new Uint8Array(),
    lists,
  }: { caller: Caller; json: unknown; bytes?: Uint8Array | undefined; lists: ProductQueues },
): Call {
  return {
    session,
    isStillAdmitted,
    chargeRest,
    params: storable(request.params),
    query: storable(request.query),
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
    body: (schema) => {
      const value = validateBody(schema, json, response);
      assertStorable(value);
      return value;
    },
    bytes,
    list: (work) =>
      lists.run(product?.record.id ?? "admin", async () => {
        if (response.closed) return undefined;
        response.setTimeout(UNREAD_LIST_MS);
        send(response, await work());
        if (!response.closed) await once(response, "close");
        return undefined;
      }),
    response,
  };
}

/** Refuses text that the database cannot store. The last value of a repeated parameter counts. */
function storable(query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = {};
  for (const name of Object.keys(query)) {
    const value = parameter({ query }, name) ?? "";
    assertStorable(value, [name]);
    parameters[name] = value;
  }
  return parameters;
}
