import express, { type Express, type RequestHandler } from "express";
import { ENGINE_BODY_BYTES, ENGINE_KEY_HEADER } from "../../contract/engine-api.ts";
import { CONTROL_PATHS, type EngineStatus } from "../../contract/engine-control.ts";
import { MEMORY_LISTS } from "../../contract/memory-records.ts";
import { BodyRoom } from "../../shared/body-room.ts";
import type { Logger } from "../../shared/logger.ts";
import { AUTHENTICATED } from "../../shared/unauthenticated-connections.ts";
import { EngineError } from "../engine-error.ts";
import type { MemoryLists } from "../memory/memory-lists.ts";
import type { MemorySearch } from "../memory/search/search-memory.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import { type Reloads, reloadCatalogRoute, reloadCoreSoulRoute } from "./admin-routes.ts";
import type { AcceptedKeys } from "./accepted-keys.ts";
import { controlOnly, drainRoute, keysRoute, statusRoute } from "./control-routes.ts";
import { errorResponder } from "./error-responder.ts";
import { type ExecuteParts, executeRoute } from "./execute-route.ts";
import { FollowerSeats } from "./follower-seats.ts";
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
import { receiveBody } from "./receive-body.ts";
import { replayRoute } from "./replay-route.ts";
import { type Servers, allowToolsRoute, serversRoute } from "./server-routes.ts";
import { cancelRoute, pendingRoute, respondRoute } from "./turn-routes.ts";

export interface RouteParts extends Omit<ExecuteParts, "seats"> {
  readonly desk: HumanRequests;
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
  readonly logger: Logger;
}

/** Of the calls that are being received at the same time. */
const MAX_BODIES_BYTES = 16 * 1024 ** 2;

const maxBodyBytes = (path: string): number =>
  path === "/execute"
    ? ENGINE_BODY_BYTES.execute
    : path === "/hitl/respond"
      ? ENGINE_BODY_BYTES.respond
      : ENGINE_BODY_BYTES.other;

/** `stream`: a POST whose body is for its route to read. */
type Method = "get" | "post" | "stream" | "delete";
type Route = readonly [Method, string, gate: RequestHandler, answer: RequestHandler];

/** Every route but `/health`, which is answered before this is loaded. The key is checked before a body is read. */
export function createRoutes(parts: RouteParts): Express {
  const { runner, desk, catalog, servers, memoryLists, memorySearch, keys, controlToken, status, logger } = parts;
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", "simple");
  const keyed: RequestHandler = (request, _response, next) => {
    if (!keys.accepts(request.get(ENGINE_KEY_HEADER), Date.now())) {
      throw new EngineError("INVALID_ENGINE_KEY", "the engine key is missing or wrong");
    }
    request.socket.emit(AUTHENTICATED);
    next();
  };
  const control = controlOnly(controlToken);
  const memoryFile = { ...parts.memoryFile, runner, journal: parts.journal, limits: parts.limits };
  const streams = { ...parts, seats: new FollowerSeats() };
  const room = new BodyRoom({ total: MAX_BODIES_BYTES, each: MAX_BODIES_BYTES });
  const routes: readonly Route[] = [
    ["post", "/execute", keyed, executeRoute(streams)],
    ["get", "/execute/replay", keyed, replayRoute(streams)],
    ["post", "/execute/cancel", keyed, cancelRoute(runner)],
    ["post", "/hitl/respond", keyed, respondRoute(desk)],
    ["get", "/hitl/pending", keyed, pendingRoute(desk)],
    ["post", "/memory/knowledge/search", keyed, memorySearchRoute(memorySearch)],
    ["get", "/assets/servers", keyed, serversRoute(servers)],
    ["post", "/assets/servers/allow", keyed, allowToolsRoute(servers)],
    ...MEMORY_LISTS.map(
      (list) => ["get", `/memory/${list}`, keyed, memoryListRoute(memoryLists, list)] satisfies Route,
    ),
    ["get", "/memory/export", keyed, exportRoute(memoryFile)],
    ["stream", "/memory/import", keyed, importRoute(memoryFile)],
    ["delete", "/memory", keyed, eraseRoute(memoryFile)],
    ["get", "/memory/skills", keyed, skillDraftsRoute(parts.skills)],
    ["post", "/memory/skills/decide", keyed, decideSkillRoute(parts.skills)],
    ["post", "/admin/lc/trigger", keyed, triggerLearningRoute(parts.learning)],
    ["post", "/admin/reload-catalog", keyed, reloadCatalogRoute(catalog)],
    ["post", "/admin/reload-core-soul", keyed, reloadCoreSoulRoute(catalog)],
    ["post", CONTROL_PATHS.keys, control, keysRoute(keys)],
    ["post", CONTROL_PATHS.drain, control, drainRoute(runner, status)],
    ["get", CONTROL_PATHS.status, control, statusRoute(status)],
  ];
  for (const [method, path, gate, answer] of routes) {
    if (method === "post") app.post(path, gate, receiveBody(room, maxBodyBytes(path)), answer);
    else app[method === "stream" ? "post" : method](path, gate, answer);
  }
  const methods = new Map<string, Method[]>([["/health", ["get"]]]);
  for (const [method, path, gate] of routes)
    if (gate === keyed) methods.set(path, [...(methods.get(path) ?? []), method]);
  app.use((request, response) => {
    const allowed = methods.get(request.path)?.map((method) => (method === "stream" ? "POST" : method.toUpperCase()));
    if (allowed === undefined) throw new EngineError("NOT_FOUND", "no such route");
    response.set("Allow", allowed.join(", "));
    throw new EngineError("METHOD_NOT_ALLOWED", `expected ${allowed.join(" or ")}`);
  });
  app.use(errorResponder(logger));
  return app;
}
