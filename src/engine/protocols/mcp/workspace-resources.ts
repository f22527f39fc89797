import { isUtf8 } from "node:buffer";
import {
  type ListResourceTemplatesResult,
  type ListResourcesResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import type { FileList } from "../../../contract/engine/file.ts";
import { MAX_LISTED } from "../../../contract/engine/file-limits.ts";
import type { EngineCalls } from "../engine-calls.ts";

/** Schemes of addresses: `workspace:///reports/june.csv`, and `artifact:///art_…` for a published version. */
const FILE = "workspace:///";
const ARTIFACT = "artifact:///";
/** The engine's own folder. */
const OWN_FOLDER = ".orch/";
const PAGE = 100;
/** A larger file is read at `/files`: here it is one message. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
const BYTES = "application/octet-stream";

const TEMPLATES: ListResourceTemplatesResult["resourceTemplates"] = [
  { uriTemplate: `${FILE}{+path}`, name: "file", title: "A file of the workspace" },
  {
    uriTemplate: `${ARTIFACT}{artifact_id}`,
    name: "artifact",
    title: "A version of a file that the agent has published",
  },
];

/** Shows files of the workspace as resources. */
export function addResources({ server }: McpServer, calls: EngineCalls): void {
  server.setRequestHandler("resources/list", ({ params }) =>
    answered(calls, () => listResources(calls, params?.cursor)),
  );
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler("resources/read", ({ params }) => readResource(calls, params.uri));
}

async function listResources(calls: EngineCalls, cursor = "0"): Promise<ListResourcesResult> {
  const from = Number(cursor);
  if (!/^\d{1,9}$/.test(cursor))
    throw calls.error("INVALID_REQUEST", "cursor: expected the nextCursor of the page before");
  const query = { recursive: "true", limit: String(MAX_LISTED) };
  const { entries } = await calls.call<FileList>("listFiles", { query });
  const files = entries.filter(({ type, path }) => type === "file" && !path.startsWith(OWN_FOLDER));
  const resources = files.slice(from, from + PAGE).map(({ path, bytes, modified_at: lastModified }) => ({
    uri: FILE + encodePath(path),
    name: path,
    mimeType: calls.mediaTypeOf(path),
    ...(bytes !== null && { size: bytes }),
    annotations: { lastModified },
  }));
  return { resources, ...(from + PAGE < files.length && { nextCursor: String(from + PAGE) }) };
}

async function readResource(calls: EngineCalls, uri: string): Promise<ReadResourceResult> {
  const which = fileOf(uri);
  if (which === null) throw new ResourceNotFoundError(uri);
  try {
    const { path, bytes } = await calls.readFile(which, MAX_READ_BYTES);
    const type = calls.mediaTypeOf(path);
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const isText = isUtf8(content) && !content.includes(0);
    if (!isText) return { contents: [{ uri, mimeType: type, blob: content.toString("base64") }] };
    return { contents: [{ uri, mimeType: type === BYTES ? "text/plain" : type, text: content.toString() }] };
  } catch (error) {
    if (calls.described(error).code === "NOT_FOUND") throw new ResourceNotFoundError(uri);
    throw refusal(calls, error);
  }
}

/** Null for an address of another kind. */
function fileOf(uri: string): { readonly path: string } | { readonly artifact_id: string } | null {
  try {
    if (uri.startsWith(FILE)) return { path: decodeURIComponent(uri.slice(FILE.length)) };
    return uri.startsWith(ARTIFACT) ? { artifact_id: decodeURIComponent(uri.slice(ARTIFACT.length)) } : null;
  } catch {
    return null;
  }
}

const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

async function answered<Result>(calls: EngineCalls, answer: () => Promise<Result>): Promise<Result> {
  try {
    return await answer();
  } catch (error) {
    throw refusal(calls, error);
  }
}

/** What the engine refuses, as an error of JSON-RPC. */
function refusal(calls: EngineCalls, error: unknown): ProtocolError {
  const { code, message, status } = calls.described(error);
  const kind = status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(kind, `${code}: ${message}`, { error: code });
}
