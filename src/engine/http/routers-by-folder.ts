import express, { type RequestHandler, type Router } from "express";
import type { EngineRoute } from "../../contract/engine/routes.ts";
import { expressPath } from "../../contract/route-table.ts";

/** A route and what it does with a call, in order. */
export interface ServedRoute extends Pick<EngineRoute, "method" | "path"> {
  readonly steps: readonly RequestHandler[];
}

/**
 * Serves the routes by a router for each first folder of their paths, made for the first call of that folder. One router of all
 * routes takes 3 ms of each boot, and compares a path with all of them.
 */
export function routersByFolder(routes: readonly ServedRoute[]): RequestHandler {
  const routers = new Map<string, Router | RouteList>();
  for (const route of routes) {
    const folder = folderOf(route.path);
    const known = routers.get(folder);
    if (Array.isArray(known)) known.push(route);
    else routers.set(folder, [route]);
  }
  return (request, response, next) => {
    // A router would answer it with the methods of its own routes.
    if (request.method === "OPTIONS") return next();
    const folder = folderOf(request.path);
    const found = routers.get(folder);
    if (found === undefined) return next();
    const router = Array.isArray(found) ? routerOf(found) : found;
    routers.set(folder, router);
    router(request, response, next);
  };
}

type RouteList = ServedRoute[];

/** As Express compares paths: in any case, before percent-decoding. */
const folderOf = (path: string): string => path.split("/", 2)[1]?.toLowerCase() ?? "";

function routerOf(routes: readonly ServedRoute[]): Router {
  const router = express.Router();
  for (const { method, path, steps } of routes)
    router[method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete"](expressPath(path), ...steps);
  return router;
}
