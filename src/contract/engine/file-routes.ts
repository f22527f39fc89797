import { type Parameter, json, ok } from "../route-table.ts";
import { LIST_LIMIT, linkFileRequest, moveFileRequest } from "./file.ts";
import { ARCHIVE_FORMATS, MAX_FILE_BYTES } from "./file-limits.ts";
import { type EngineRoute, engine, unauthenticated } from "./route-row.ts";

const PATH = { kind: "text", summary: "The path in the workspace, without a leading `/`" } as const;
const FOLDER = { ...PATH, summary: "A folder of the workspace. The workspace itself when omitted" } as const;
const IF_MATCH = { kind: "text", summary: "Only if the file has one of these `ETag`s, or `*` for any" } as const;
const CONDITIONS = {
  Range: {
    kind: "text",
    summary: "One range of bytes, such as `bytes=0-1023` or `bytes=-500`. Of several none counts",
  },
  "If-Range": { kind: "text", summary: "An `ETag`: another file is sent whole" },
  "If-None-Match": { kind: "text", summary: "The `ETag`s that the caller has: 304 for one of these" },
  "If-Match": IF_MATCH,
} as const satisfies Record<string, Parameter>;
const BYTES = [{ kind: "bytes" }] as const;

/** The files of the workspace. */
export const ENGINE_FILE_ROUTES = {
  listFiles: engine("GET /files", "[List](files.md#list) a folder of the workspace", {
    role: "operator",
    scope: "files:read",
    query: { path: FOLDER, recursive: { kind: "flag", summary: "With what its folders contain" }, limit: LIST_LIMIT },
    responses: ok("FileList"),
    errors: ["NOT_FOUND"],
  }),
  readFile: engine("GET /files/content", "[Read](files.md#read) a file, or a range of it", {
    role: "operator",
    scope: "files:read",
    query: { path: PATH, artifact_id: { kind: "text", summary: "Instead of `path`: a published version" } },
    headers: CONDITIONS,
    timeout: "hour",
    responses: { 200: BYTES, 206: BYTES, 304: [] },
    errors: ["NOT_FOUND", "PRECONDITION_FAILED", "RANGE_NOT_SATISFIABLE"],
  }),
  writeFile: engine("PUT /files/content", "[Write](files.md#write) a file: the body is its content", {
    role: "operator",
    scope: "files:write",
    query: { path: PATH },
    headers: { "If-Match": IF_MATCH, "If-None-Match": { kind: "text", summary: "`*`: only if there is no file" } },
    requestBytes: true,
    maxBodyBytes: MAX_FILE_BYTES,
    timeout: "hour",
    responses: { 200: [json("StoredFile")], 201: [json("StoredFile")] },
    errors: ["PRECONDITION_FAILED"],
  }),
  removeFile: engine("DELETE /files", "[Remove](files.md#remove) a file or folder", {
    role: "operator",
    scope: "files:write",
    query: { path: PATH, recursive: { kind: "flag", summary: "A folder with what it contains" } },
    headers: { "If-Match": IF_MATCH },
    timeout: "hour",
    repeatable: false,
    responses: ok("RemovedFile"),
    errors: ["NOT_FOUND", "PRECONDITION_FAILED", "FILE_EXISTS"],
  }),
  moveFile: engine("POST /files/move", "[Move](files.md#move) a file or folder", {
    role: "operator",
    scope: "files:write",
    request: moveFileRequest,
    repeatable: false,
    responses: ok("MovedFile"),
    errors: ["NOT_FOUND", "FILE_EXISTS"],
  }),
  archiveFiles: engine("GET /files/archive", "[Download](files.md#archive) a folder as one archive", {
    role: "operator",
    scope: "files:read",
    query: {
      path: FOLDER,
      format: { kind: "choice", values: ARCHIVE_FORMATS, fallback: "tar.gz", summary: "The format" },
    },
    timeout: "hour",
    responses: { 200: [{ kind: "archive" }, { kind: "zip" }] },
    errors: ["NOT_FOUND", "PAYLOAD_TOO_LARGE"],
  }),
  linkFile: engine("POST /files/links", "Make a [link](files.md#links) that reads one file without a key", {
    role: "operator",
    scope: "files:read",
    request: linkFileRequest,
    responses: ok("FileLink"),
    errors: ["NOT_FOUND"],
  }),
  readLinked: unauthenticated("GET /files/linked/{token}", "Read the file of a [link](files.md#links)", {
    headers: CONDITIONS,
    timeout: "hour",
    responses: { 200: BYTES, 206: BYTES, 304: [] },
    errors: ["NOT_FOUND", "PRECONDITION_FAILED", "RANGE_NOT_SATISFIABLE"],
  }),
  listArtifacts: engine("GET /tasks/{task_id}/artifacts", "List what the agent has [published](files.md#artifacts)", {
    role: "operator",
    scope: "tasks:read",
    responses: ok("ArtifactList"),
    errors: ["NOT_FOUND"],
  }),
} as const satisfies Record<string, EngineRoute>;
