import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { ENGINE_BODY_LIMITS, PROTOCOL_BODY_LIMITS, executeBodyBytes } from "../../contract/engine/requests.ts";
import type { EngineErrorBody } from "../../contract/engine/error-body.ts";
import type { EngineErrorCode } from "../../contract/engine/errors.ts";
import {
  ENGINE_ROUTES,
  type EngineRoute,
  type EngineRouteName,
  engineBodyBytes,
} from "../../contract/engine/routes.ts";
import {
  PROTOCOL_ROUTES,
  type ProtocolRoute,
  type ProtocolRouteName,
  protocolAt,
} from "../../contract/engine/protocol-routes.ts";
import { protocolErrorBody } from "../../contract/engine/protocols.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { methodsOf } from "../../contract/route-table.ts";
import { BodyBufferLimit } from "../../shared/http/body-buffer-limit.ts";
import { sendDocs, sendOpenApi } from "../../shared/http/interface-documents.ts";
import { type JsonLimits, parseJsonBody } from "../../shared/http/json-body.ts";
import { hostProblem } from "../../shared/http/local-caller.ts";
import { receiveBody } from "../../shared/http/receive-body.ts";
import { refusalOf, refuseUnknownRoute, respondToErrors } from "../../shared/http/refusal.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import { lazily } from "../../shared/lazily.ts";
import type { Logger } from "../../shared/logger.ts";
import { NO_TRACER, type Tracer } from "../../shared/tracing/span.ts";
import { EngineError, internalError } from "../engine-error.ts";
import type { Wakefulness } from "../sleep/wakefulness.ts";
import { FollowerLimit } from "../turns/follower-limit.ts";
import { type AdminParts, adminRoutes } from "./admin-routes.ts";
import type { StreamLimits } from "./event-stream.ts";
import { type ControlParts, controlOnly, controlRoutes } from "./control-routes.ts";
import { type FileRouteParts, fileRoutes } from "./file-routes.ts";
import { inboxRoutes } from "./inbox-routes.ts";
import { type MemoryFileParts, eraseRoute, exportRoute, importRoute } from "./memory-file-routes.ts";
import { type MemoryRouteParts, memoryRoutes } from "./memory-routes.ts";
import type { ProtocolReadParts } from "./protocol-reads.ts";
import { protocolRoutes } from "./protocol-routes.ts";
import { replayRoute } from "./replay-route.ts";
import { type ServedRoute, routersByFolder } from "./routers-by-folder.ts";
import { keyOf, withinTasks } from "./task-bounds.ts";
import { type LoginParts, loginRoutes } from "./login-routes.ts";
import { type QuestionParts, questionRoutes } from "./question-routes.ts";
import { startedTurnRoutes } from "./started-turn-routes.ts";
import { type ToolHookParts, toolHookRoutes } from "./tool-hook-routes.ts";
import { traceRequests } from "../../shared/http/trace-request.ts";
import { branchRoutes } from "./branch-routes.ts";
import { type TaskRouteParts, taskRoutes } from "./task-routes.ts";
import { type TurnRecordParts, turnRecordRoutes } from "./turn-record-routes.ts";
import { type TurnRouteParts, turnRoutes } from "./turn-routes.ts";

export interface RouteParts
  extends
    Omit<TurnRouteParts, "followerLimit">,
    Omit<TaskRouteParts, "followerLimit" | "followers">,
    TurnRecordParts,
    AdminParts,
    MemoryRouteParts,
    MemoryFileParts,
    Omit<FileRouteParts, "taskList" | "limits" | "launch" | "wakefulness">,
    ControlParts,
    ToolHookParts,
    QuestionParts,
    LoginParts {
  readonly agents: ProtocolReadParts["agents"];
  readonly catalogSkills: ProtocolReadParts["catalogSkills"];
  readonly taskList: TaskRouteParts["taskList"];
  readonly turnList: TurnRecordParts["turnList"] & ProtocolReadParts["turnList"];
  readonly branches: Parameters<typeof branchRoutes>[0]["branches"] &
    TurnRouteParts["branches"] &
    TaskRouteParts["branches"];
  readonly learning: AdminParts["learning"] & MemoryFileParts["learning"] & TaskRouteParts["learning"];
  readonly limits: StreamLimits;
  readonly memory: MemoryRouteParts["memory"] & MemoryFileParts["memory"];
  readonly profile: MemoryRouteParts["profile"];
  readonly requests: (TurnRecordParts["requests"] & MemoryFileParts["requests"]) | null;
  readonly telemetry: ControlParts["telemetry"] & { readonly tracer: Tracer };
  readonly launch: MemoryFileParts["launch"] & FileRouteParts["launch"] & Pick<EngineLaunch, "control_token" | "host">;
  readonly wakefulness: Pick<Wakefulness, "noteWork" | "sleep" | "followers">;
  /** The folder of `/docs` and `/openapi.json`, which the build generates. */
  readonly documentsDir: string;
  readonly logger: Logger;
}

/** Bodies received at the same time, in addition to one message of the largest size. */
const MAX_BODIES_BYTES = 16 * 1024 ** 2;

/** `/health` is answered before this is loaded. */
type LoadedRoute = Exclude<EngineRouteName, "health">;

/** Their largest body follows from the policy's limit of attachments. */
const MESSAGE_ROUTES: ReadonlySet<LoadedRoute> = new Set<LoadedRoute>(["execute", "editMessage"]);

const RETRY_AFTER_S: Partial<Record<EngineErrorCode, number>> = {
  ENGINE_DRAINING: 5,
  RATE_LIMITED: 2,
  SERVICE_UNAVAILABLE: 1,
};

/** Every route but `/health`. The key is checked before a body is read. */
export function createRoutes(parts: RouteParts): Express {
  const { logger } = parts;
  const { tracer } = parts.telemetry;
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", "simple");
  const gates = gatesOf(parts);
  const tracing = (route: Pick<EngineRoute, "method" | "path">) =>
    tracer === NO_TRACER ? [] : [traceRequests(tracer, route)];
  const streams = { ...parts, followers: parts.wakefulness.followers, followerLimit: new FollowerLimit() };
  const handlers = handlersOf(parts, streams);
  const messageBytes = executeBodyBytes(parts.attachments.limits.mb);
  const total = MAX_BODIES_BYTES + messageBytes;
  const room = new BodyBufferLimit({ total, each: total });
  const within = (name: EngineRouteName) => withinTasks(name, parts.runner);
  const served: ServedRoute[] = [];
  const serve = ({ method, path }: Pick<EngineRoute, "method" | "path">, ...steps: readonly RequestHandler[]) =>
    served.push({ method, path, steps });
  for (const [name, handler] of Object.entries(handlers) as [LoadedRoute, RequestHandler][]) {
    const route: EngineRoute = ENGINE_ROUTES[name];
    const { method } = route;
    const gate = route.auth === "engine" ? [...tracing(route), gates.engine] : [gates[route.auth]];
    const takesJson = (method === "POST" || method === "PATCH") && route.requestLines === undefined;
    const maxBytes = MESSAGE_ROUTES.has(name) ? messageBytes : engineBodyBytes(route);
    const receive = takesJson ? [receiveJson(room, maxBytes)] : [];
    serve(route, ...gate, ...receive, ...(route.auth === "engine" ? [within(name)] : []), handler);
  }
  for (const [name, handler] of Object.entries(protocolRoutes({ ...streams, handlers, within, toEngineError }))) {
    const route: ProtocolRoute = PROTOCOL_ROUTES[name as ProtocolRouteName];
    const receiver = route.takesBytes
      ? receiveBytes(room, messageBytes)
      : receiveJson(room, messageBytes, PROTOCOL_BODY_LIMITS);
    const receive = route.method === "POST" ? [receiver] : [];
    serve(route, ...tracing(route), gates.protocol, ...receive, handler);
  }
  app.use(routersByFolder(served));
  app.use(refuseUnknownRoute((path) => publicMethods()(path)));
  app.use(errorResponder(logger));
  return app;
}

function gatesOf({ keys, launch, wakefulness }: RouteParts): Record<EngineRoute["auth"] | "protocol", RequestHandler> {
  const withKey =
    ({ isProtocol }: { readonly isProtocol: boolean }): RequestHandler =>
    (request, response, next) => {
      if (!keys.accepts(keyOf(request, { isProtocol }), Date.now())) {
        const header = isProtocol ? "Authorization" : "X-Engine-Key";
        throw new EngineError("INVALID_ENGINE_KEY", `${header}: the engine key is missing or wrong`);
      }
      request.socket.emit(AUTHENTICATED);
      wakefulness.noteWork(response);
      next();
    };
  return {
    none: (request, _response, next) => {
      const problem = hostProblem(request, launch.host);
      if (problem !== null) throw new EngineError("INVALID_REQUEST", problem);
      next();
    },
    engine: withKey({ isProtocol: false }),
    protocol: withKey({ isProtocol: true }),
    control: controlOnly(launch.control_token),
  };
}

function handlersOf(parts: RouteParts, streams: TurnRouteParts & TaskRouteParts): Record<LoadedRoute, RequestHandler> {
  const { documentsDir } = parts;
  return {
    ...turnRoutes(streams),
    replay: replayRoute(streams),
    ...inboxRoutes(parts),
    ...turnRecordRoutes(parts),
    ...branchRoutes(parts),
    ...taskRoutes(streams),
    ...fileRoutes(parts),
    ...memoryRoutes(parts),
    exportMemory: exportRoute(parts),
    importMemory: importRoute(parts),
    eraseMemory: eraseRoute(parts),
    ...adminRoutes(parts),
    openapi: (_request, response) => sendOpenApi(response, documentsDir),
    docs: (_request, response) => sendDocs(response, documentsDir),
    ...controlRoutes(parts),
    ...toolHookRoutes(parts),
    ...loginRoutes(parts),
    ...questionRoutes(parts),
    ...startedTurnRoutes(parts),
  };
}

/** Puts the JSON of a call's body, undefined when it has none, into `request.body`. */
function receiveJson(room: BodyBufferLimit, maxBytes: number, limits: JsonLimits = ENGINE_BODY_LIMITS): RequestHandler {
  return async (request, _response, next) => {
    const body = await receiveBody(request, { maxBytes, room, owner: "key" });
    try {
      request.body = parseJsonBody(body.bytes, limits);
    } finally {
      body.release();
    }
    next();
  };
}

/** Puts the bytes of a call's body into `request.body`, until the call is answered. */
function receiveBytes(room: BodyBufferLimit, maxBytes: number): RequestHandler {
  return async (request, response, next) => {
    const body = await receiveBody(request, { maxBytes, room, owner: "key", expected: "a form" });
    if (response.closed) body.release();
    else response.once("close", body.release);
    request.body = body.bytes;
    next();
  };
}

/** For a caller without the control token the other routes do not exist. */
const PUBLIC_ROUTES = [
  ...Object.values<EngineRoute>(ENGINE_ROUTES).filter(({ auth }) => auth !== "control"),
  ...Object.values<ProtocolRoute>(PROTOCOL_ROUTES),
];
const publicMethods = lazily(() => methodsOf(PUBLIC_ROUTES));

/** Responds to a thrown error with its row of the error table, in the engine's flat form or in that of the protocol. */
const errorResponder = (logger: Logger): ErrorRequestHandler =>
  respondToErrors({
    identify(error) {
      const { code, message, details, status } = toEngineError(error);
      return { code, message, details, status, retryAfterS: retryAfterOf(code, details) };
    },
    bodyOf({ code, message, details, status }, { path }) {
      const protocol = protocolAt(path);
      if (protocol !== null) return protocolErrorBody(protocol, { code, message, details, status });
      return { error: code, message, ...(details && { details }) } satisfies EngineErrorBody;
    },
    log({ code }, { error, request }) {
      if (code === "INTERNAL_ERROR") logger.error({ err: error, path: request.path }, "call failed");
    },
  });

/** The details of `BUDGET_EXCEEDED` have the seconds until the budget resets. */
function retryAfterOf(code: EngineErrorCode, details: EngineError["details"]): number | null {
  const named = code === "BUDGET_EXCEEDED" ? details?.["retry_after"] : undefined;
  return typeof named === "number" ? named : (RETRY_AFTER_S[code] ?? null);
}

function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const refusal = refusalOf(error);
  if (refusal !== null) return new EngineError(refusal.code, refusal.message);
  return internalError(error, "unexpected error; see the engine's log");
}
