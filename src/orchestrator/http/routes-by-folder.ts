import { type RequestHandler, Router } from "express";

/**
 * Routes by the first part of their path: Express compares a request with one route after the other, of which there are
 * more than a hundred (bench row "authenticated GET /engines/{user_id}").
 */
export class RoutesByFolder {
  readonly #routers = new Map<string, Router>();

  /** The router of a path, such as `/engines/{user_id}`. */
  of(path: string): Router {
    const folder = folderOf(path);
    const router = this.#routers.get(folder) ?? Router();
    this.#routers.set(folder, router);
    return router;
  }

  readonly handle: RequestHandler = (request, response, next) => {
    const router = this.#routers.get(folderOf(request.path));
    // A router would answer OPTIONS by itself, for which there is no route.
    if (router === undefined || request.method === "OPTIONS") next();
    else router(request, response, next);
  };
}

/** Express ignores upper and lower case. */
const folderOf = (path: string): string => (/^\/[^/]*/.exec(path)?.[0] ?? "").toLowerCase();
