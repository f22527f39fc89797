import type { Request, Response } from "express";
import type { StoredFile } from "../../contract/engine/file.ts";
import { EngineError } from "../engine-error.ts";
import type { EngineFiles } from "../files/engine-files.ts";
import { mediaTypeOf } from "../files/media-type.ts";
import { namesWithin } from "../files/named-path.ts";
import { openContent } from "../files/open-content.ts";
import type { EngineCalls } from "../protocols/engine-calls.ts";
import { type CalledRoutes, answerLike, assertAllowed, callRoute, innerRequest } from "./inner-call.ts";

export interface ProtocolFileParts {
  readonly files: Pick<EngineFiles, "workspaceDir" | "artifacts">;
}

/** The files of the workspace, for other protocols. */
export const protocolFiles = (
  routes: CalledRoutes & ProtocolFileParts,
  request: Request,
  response: Response,
): Pick<EngineCalls, "writeFile" | "readFile" | "sendFile" | "mediaTypeOf"> => ({
  mediaTypeOf,
  async writeFile(path, bytes) {
    return (await callRoute(routes, "writeFile", innerRequest(request, { query: { path }, bytes }))) as StoredFile;
  },
  async readFile(which, maxBytes) {
    await assertAllowed(routes, "readFile", { request: innerRequest(request, { query: which }), response });
    const { path, file: opened } = await openFile(routes.files, which);
    await using file = opened;
    const { size } = await file.stat();
    if (size > maxBytes) throw new EngineError("PAYLOAD_TOO_LARGE", `path: the file has more than ${maxBytes} bytes`);
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await file.read(bytes, 0, size, 0);
    return { path, bytes: bytes.subarray(0, bytesRead) };
  },
  sendFile: (query) => answerLike(routes, "readFile", { request: innerRequest(request, { query }), response }),
});

async function openFile(
  { workspaceDir, artifacts }: ProtocolFileParts["files"],
  which: Parameters<EngineCalls["readFile"]>[0],
) {
  if ("path" in which)
    return { path: which.path, file: (await openContent(workspaceDir, namesWithin(which.path))).file };
  const { artifact, file } = await artifacts.open(which.artifact_id);
  return { path: artifact.path, file };
}
