import type { RequestHandler } from "express";
import { Refusal } from "./refusal.ts";

export const NO_SUCH_ROUTE = "no such route; GET /docs lists the routes";

/** Behind all routes: the path is known with another method (405), or not at all (404). */
export function refuseUnknownRoute(methodsOf: (path: string) => readonly string[]): RequestHandler {
  return (request, response) => {
    const methods = methodsOf(request.path);
    if (methods.length === 0 || methods.includes(request.method)) throw new Refusal("NOT_FOUND", NO_SUCH_ROUTE);
    response.set("Allow", methods.join(", "));
    throw new Refusal("METHOD_NOT_ALLOWED", `expected ${methods.join(" or ")}`);
  };
}
