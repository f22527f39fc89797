import { createHash } from "node:crypto";
import type { ArtifactList, FileEntry, FileList } from "../../../contract/engine/file.ts";
import { MAX_LISTED } from "../../../contract/engine/file-limits.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { type ProtocolHandler, type ProtocolRequest, sendJson } from "../protocol.ts";
import { fileId, pathOfFile } from "./event-ids.ts";
import { readQuery } from "./list-query.ts";
import { uploadedFile } from "./uploaded-form.ts";

/** What is uploaded is below it, where the agent finds it. */
const UPLOADS = "uploads";
/** The engine's own folder. Attachments are there: an event shows their ids. */
const OWN_FOLDER = ".orch/";

interface Known {
  readonly path: string;
  readonly bytes: number;
  readonly at: string;
  /** The session that has published it. */
  readonly session?: string;
}

const metadataOf = (calls: EngineCalls, { path, bytes, at, session }: Known) => ({
  id: fileId(path),
  type: "file",
  filename: path.slice(path.lastIndexOf("/") + 1),
  mime_type: calls.mediaTypeOf(path),
  size_bytes: bytes,
  // A file has the time of its last change.
  created_at: at,
  downloadable: true,
  expires_at: null,
  scope: session === undefined ? null : { id: session, type: "session" },
});

/** The same file again is the same file, so that a repeated upload is none of its own. */
export const uploadFile: ProtocolHandler = async ({ request, response, calls }) => {
  const { name, bytes } = uploadedFile(calls, request);
  const folder = createHash("sha256").update(name).update("\0").update(bytes).digest("hex").slice(0, 16);
  const { path } = await calls.writeFile(`${UPLOADS}/${folder}/${name}`, bytes);
  sendJson(response, metadataOf(calls, await knownFile(calls, path)));
};

export const showFile: ProtocolHandler = async ({ request, response, calls }) =>
  sendJson(response, metadataOf(calls, await knownFile(calls, pathOf(calls, request))));

export const readFile: ProtocolHandler = async ({ request, calls }) => calls.sendFile({ path: pathOf(calls, request) });

export const deleteFile: ProtocolHandler = async ({ request, response, calls }) => {
  const path = pathOf(calls, request);
  await calls.call("removeFile", { query: { path } });
  sendJson(response, { id: fileId(path), type: "file_deleted" });
};

/** The newest first. */
export const listFiles: ProtocolHandler = async ({ request, response, calls }) => {
  const query = readQuery(calls, request.query, { limit: { fallback: 20, max: 1000 } });
  const session = query.text("scope_id");
  const from = query.page === null ? 0 : Number(query.page);
  if (!Number.isInteger(from) || from < 0)
    throw calls.error("INVALID_REQUEST", "page: expected the next_page of the page before");
  const wanted = new Set(query.list("ids"));
  const all = (session === null ? await workspaceFiles(calls) : await publishedFiles(calls, session))
    .filter(({ path }) => wanted.size === 0 || wanted.has(fileId(path)))
    .toSorted((one, other) => other.at.localeCompare(one.at));
  const next = from + query.limit < all.length ? String(from + query.limit) : null;
  sendJson(response, {
    data: all.slice(from, from + query.limit).map((file) => metadataOf(calls, file)),
    next_page: next,
  });
};

async function workspaceFiles(calls: EngineCalls): Promise<readonly Known[]> {
  const query = { recursive: "true", limit: String(MAX_LISTED) };
  const { entries } = await calls.call<FileList>("listFiles", { query });
  return entries.flatMap(fileOf).filter(({ path }) => !path.startsWith(OWN_FOLDER));
}

/** The newest version of each file, by its path. */
async function publishedFiles(calls: EngineCalls, session: string): Promise<readonly Known[]> {
  const { items } = await calls.call<ArtifactList>("listArtifacts", { path: { task_id: session } });
  const byPath = Map.groupBy(items, ({ path }) => path);
  return [...byPath].flatMap(([path, [newest]]) =>
    newest === undefined ? [] : [{ path, bytes: newest.bytes, at: newest.created_at, session }],
  );
}

const fileOf = ({ path, type, bytes, modified_at: at }: FileEntry): readonly Known[] =>
  type === "file" && bytes !== null ? [{ path, bytes, at }] : [];

async function knownFile(calls: EngineCalls, path: string): Promise<Known> {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const query = { path: folder, limit: String(MAX_LISTED) };
  const { entries } = await calls.call<FileList>("listFiles", { query });
  const found = entries.flatMap(fileOf).find((file) => file.path === path);
  if (found === undefined) throw calls.error("NOT_FOUND", "no file has this id");
  return found;
}

function pathOf(calls: EngineCalls, request: ProtocolRequest): string {
  const path = pathOfFile(String(request.params["file_id"]));
  if (path === null) throw calls.error("NOT_FOUND", "no file has this id");
  return path;
}
