import express, { type Express, type RequestHandler } from "express";
import { ENGINE_BODY_LIMITS, ENGINE_KEY_HEADER } from "../../contract/engine-api.ts";
import type { EngineStatus } from "../../contract/engine-control.ts";
import {
  ENGINE_ROUTES,
  type EngineRoute,
  type EngineRouteName,
  engineBodyBytes,
} from "../../contract/engine-routes.ts";
import { expressPath, methodsOf } from "../../contract/route-table.ts";
import { parseJsonBody } from "../../shared/http/json-body.ts";
import { receiveBody } from "../../shared/http/receive-body.ts";
import { refuseUnknownRoute } from "../../shared/http/refusal.ts";
import { BodyRoom } from "../../shared/http/body-room.ts";
import { sendDocs, sendOpenApi } from "../../shared/http/interface-documents.ts";
import { hostProblem } from "../../shared/http/local-caller.ts";
import type { Logger } from "../../shared/logger.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import { EngineError } from "../engine-error.ts";
import type { MemoryLists } from "../memory/memory-lists.ts";
import type { MemorySearch } from "../memory/search/search-memory.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import { type Reloads, reloadCatalogRoute, reloadCoreSoulRoute } from "./admin-routes.ts";
import type { AcceptedKeys } from "../turns/accepted-keys.ts";
import { controlOnly, drainRoute, keysRoute, statusRoute } from "./control-routes.ts";
import { errorResponder } from "./error-responder.ts";
import { type ExecuteParts, executeRoute } from "./execute-route.ts";
import { FollowerSeats } from "../turns/follower-seats.ts";
import { type MemoryFileParts, eraseRoute, exportRoute, importRoute } from "./memory-file-routes.ts";
import {
  type DecidesSkills,
  type Learns,
  decideSkillRoute,
  skillDraftsRoute,
  triggerLearningRoute,
} from "./learning-routes.ts";
import { memoryListRoute } from "./memory-routes.ts";
import { memorySearchRoute } from "./memory-search-route.ts";
import { replayRoute } from "./replay-route.ts";
import { type Servers, allowToolsRoute, serversRoute } from "./server-routes.ts";
import { cancelRoute, pendingRoute, respondRoute } from "./turn-routes.ts";

export interface RouteParts extends Omit<ExecuteParts, "seats"> {
  readonly humanRequests: HumanRequests;
  readonly catalog: Reloads;
  readonly servers: Servers;
  readonly memoryLists: Pick<MemoryLists, "page">;
  readonly memorySearch: Pick<MemorySearch, "search">;
  readonly memoryFile: Omit<MemoryFileParts, "runner" | "journal" | "limits">;
  readonly learning: Learns;
  readonly skills: DecidesSkills;
  readonly keys: AcceptedKeys;
  readonly controlToken: string;
  readonly status: () => EngineStatus;
  /** Where the engine listens. */
  readonly host: string;
  /** What the build made of the route table. */
  readonly documentsDir: string;
  readonly logger: Logger;
}

/** Of the calls that are being received at the same time. */
const MAX_BODIES_BYTES = 16 * 1024 ** 2;

/** `/health` is answered before this is loaded. */
type LoadedRoute = Exclude<EngineRouteName, "health">;

/** Every route but `/health`. The key is checked before a body is read. */
export function createRoutes(parts: RouteParts): Express {
  const { logger } = parts;
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", "simple");
  const gates = gatesOf(parts);
  const handlers = handlersOf(parts);
  const room = new BodyRoom({ total: MAX_BODIES_BYTES, each: MAX_BODIES_BYTES });
  for (const [name, handler] of Object.entries(handlers) as [LoadedRoute, RequestHandler][]) {
    const route: EngineRoute = ENGINE_ROUTES[name];
    const path = expressPath(route.path);
    const gate = gates[route.auth];
    if (route.method === "POST" && route.requestLines === undefined)
      app.post(path, gate, receiveJson(room, engineBodyBytes(route)), handler);
    else app[route.method.toLowerCase() as "get" | "post" | "delete"](path, gate, handler);
  }
  app.use(refuseUnknownRoute(methodsOf(PUBLIC_ROUTES)));
  app.use(errorResponder(logger));
  return app;
}

function gatesOf({ keys, controlToken, host }: RouteParts): Record<EngineRoute["auth"], RequestHandler> {
  return {
    none: (request, _response, next) => {
      const problem = hostProblem(request, host);
      if (problem !== null) throw new EngineError("INVALID_REQUEST", problem);
      next();
    },
    engine: (request, _response, next) => {
      if (!keys.accepts(request.get(ENGINE_KEY_HEADER), Date.now())) {
        throw new EngineError("INVALID_ENGINE_KEY", "the engine key is missing or wrong");
      }
      request.socket.emit(AUTHENTICATED);
      next();
    },
    control: controlOnly(controlToken),
  };
}

function handlersOf(parts: RouteParts): Record<LoadedRoute, RequestHandler> {
  const { runner, humanRequests, catalog, servers, memoryLists, memorySearch, keys, status, documentsDir } = parts;
  const memoryFile = { ...parts.memoryFile, runner, journal: parts.journal, limits: parts.limits };
  const streams = { ...parts, seats: new FollowerSeats() };
  return {
    execute: executeRoute(streams),
    replay: replayRoute(streams),
    cancel: cancelRoute(runner),
    respond: respondRoute(humanRequests),
    pending: pendingRoute(humanRequests),
    searchMemory: memorySearchRoute(memorySearch),
    listServers: serversRoute(servers),
    allowTools: allowToolsRoute(servers),
    listEpisodes: memoryListRoute(memoryLists, "episodes"),
    listKnowledge: memoryListRoute(memoryLists, "knowledge"),
    listSocial: memoryListRoute(memoryLists, "social"),
    listWorking: memoryListRoute(memoryLists, "working"),
    listTrajectories: memoryListRoute(memoryLists, "trajectories"),
    exportMemory: exportRoute(memoryFile),
    importMemory: importRoute(memoryFile),
    eraseMemory: eraseRoute(memoryFile),
    listSkills: skillDraftsRoute(parts.skills),
    decideSkill: decideSkillRoute(parts.skills),
    triggerLearning: triggerLearningRoute(parts.learning),
    reloadCatalog: reloadCatalogRoute(catalog),
    reloadCoreSoul: reloadCoreSoulRoute(catalog),
    openapi: (_request, response) => sendOpenApi(response, documentsDir),
    docs: (_request, response) => sendDocs(response, documentsDir),
    setKeys: keysRoute(keys),
    drain: drainRoute(runner, status),
    status: statusRoute(status),
  };
}

/** Puts the JSON of a call's body, undefined when it has none, into `request.body`. */
function receiveJson(room: BodyRoom, maxBytes: number): RequestHandler {
  return async (request, _response, next) => {
    const body = await receiveBody(request, { maxBytes, room, owner: "key" });
    try {
      request.body = parseJsonBody(body.bytes, ENGINE_BODY_LIMITS);
    } finally {
      body.release();
    }
    next();
  };
}

/** For a caller without the control token the other routes do not exist. */
const PUBLIC_ROUTES = Object.values<EngineRoute>(ENGINE_ROUTES).filter(({ auth }) => auth !== "control");
