import type { Request, Response } from "express";
import type { StoredFile } from "../../contract/engine/file.ts";
import { mediaTypeOf } from "../files/media-type.ts";
import type { EngineCalls } from "../protocols/engine-calls.ts";
import { type CalledRoutes, answerLike, callRoute, innerRequest } from "./inner-call.ts";

/** The files of the workspace, for other protocols. */
export const protocolFiles = (
  routes: CalledRoutes,
  request: Request,
  response: Response,
): Pick<EngineCalls, "writeFile" | "sendFile" | "mediaTypeOf"> => ({
  mediaTypeOf,
  async writeFile(path, bytes) {
    return (await callRoute(routes, "writeFile", innerRequest(request, { query: { path }, bytes }))) as StoredFile;
  },
  sendFile: (query) => answerLike(routes, "readFile", { request: innerRequest(request, { query }), response }),
});
