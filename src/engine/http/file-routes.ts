import type { Request, RequestHandler, Response } from "express";
import { linkFileRequest, moveFileRequest, LIST_LIMIT } from "../../contract/engine/file.ts";
import { ARCHIVE_FORMATS, LINK_TTL_S } from "../../contract/engine/file-limits.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { isoTime } from "../../shared/clock.ts";
import { choiceParameter, flagParameter, integerParameter, parameter } from "../../shared/http/parameters.ts";
import { assertNotCompressed } from "../../shared/http/receive-body.ts";
import { sendChunks } from "../../shared/http/send-chunks.ts";
import { AUTHENTICATED } from "../../shared/http/unauthenticated-connections.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import { archiveFolder } from "../files/archive-folder.ts";
import type { EngineFiles } from "../files/engine-files.ts";
import { listFolder } from "../files/list-folder.ts";
import { namesOf, namesWithin } from "../files/named-path.ts";
import { openContent } from "../files/open-content.ts";
import type { Wakefulness } from "../sleep/wakefulness.ts";
import type { TaskList } from "../tasks/task-list.ts";
import { unknownTask } from "../tasks/task-changer.ts";
import type { StreamLimits } from "./event-stream.ts";
import { attachment, sendFile } from "./send-file.ts";

export interface FileRouteParts {
  readonly files: EngineFiles;
  readonly taskList: Pick<TaskList, "find">;
  readonly launch: Pick<EngineLaunch, "engine_id">;
  readonly wakefulness: Pick<Wakefulness, "noteWork">;
  readonly limits: Pick<StreamLimits, "maxQueuedMs">;
}

/** The files of the workspace. */
export const fileRoutes = (parts: FileRouteParts) => {
  const { files, taskList, launch, wakefulness, limits } = parts;
  const { workspaceDir, digests, changer, artifacts, links } = files;
  const sending = { digests, silenceMs: limits.maxQueuedMs };
  return {
    async listFiles(request, response) {
      const [recursive, limit] = [flagParameter(request, "recursive"), integerParameter(request, "limit", LIST_LIMIT)];
      const signal = goneSignal(response);
      response.json(await listFolder(workspaceDir, folderOf(request), { recursive, limit, signal }));
    },
    async readFile(request, response) {
      const artifactId = parameter(request, "artifact_id");
      if (artifactId !== undefined && parameter(request, "path") !== undefined)
        throw new InvalidInput("artifact_id", "expected no path together with artifact_id");
      if (artifactId === undefined) {
        const path = pathOf(request);
        await using file = (await openContent(workspaceDir, namesWithin(path))).file;
        await sendFile({ file, path }, { request, response }, sending);
        return;
      }
      const opened = await artifacts.open(artifactId);
      await using file = opened.file;
      await sendFile({ file, path: opened.artifact.path }, { request, response }, sending);
    },
    async writeFile(request, response) {
      const ifNoneMatch = request.get("If-None-Match");
      if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== "*")
        throw new InvalidInput("If-None-Match", "expected * for a write");
      assertNotCompressed(request, "the bytes of the file");
      const length = request.get("Content-Length");
      const source = {
        chunks: request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>,
        length: length === undefined ? null : Number(length),
      };
      try {
        const stored = await changer.put(pathOf(request), source, { ifMatch: request.get("If-Match"), ifNoneMatch });
        response
          .status(stored.created ? 201 : 200)
          .set("ETag", `"${stored.digest}"`)
          .json(stored);
      } catch (error) {
        // A client that disconnected gets no answer, and its disconnect is no fault to log.
        if (!response.destroyed) throw error;
      }
    },
    async removeFile(request, response) {
      const recursive = flagParameter(request, "recursive");
      response.json(await changer.remove(pathOf(request), { recursive, ifMatch: request.get("If-Match") }));
    },
    async moveFile(request, response) {
      const { from, to, overwrite = false } = validateBody(moveFileRequest, request.body, response);
      response.json(await changer.move(from, to, { overwrite }));
    },
    async archiveFiles(request, response) {
      const format = choiceParameter(request, "format", ARCHIVE_FORMATS) ?? "tar.gz";
      const names = folderOf(request);
      const signal = goneSignal(response);
      const archive = await archiveFolder(workspaceDir, names, { format, signal });
      response.set({
        "Content-Type": format === "zip" ? "application/zip" : "application/gzip",
        "Content-Disposition": attachment(`${names.at(-1) ?? "workspace"}.${format}`),
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
        "X-Accel-Buffering": "no",
      });
      if (request.method === "HEAD") {
        archive.destroy();
        response.end();
        return;
      }
      response.setTimeout(limits.maxQueuedMs);
      try {
        await sendChunks(response, archive);
      } catch {
        // The reader sees that the archive is incomplete.
        response.destroy();
      }
    },
    async linkFile(request, response) {
      const { path, ttl_s: ttl = LINK_TTL_S.default } = validateBody(linkFileRequest, request.body, response);
      const names = namesWithin(path);
      // Of a file that can be read now.
      await (await openContent(workspaceDir, names)).file.close();
      const now = Date.now();
      const until = now + ttl * 1000;
      const token = links.make({ path: names.join("/"), until }, now);
      const link = `/e/${launch.engine_id}/files/linked/${token}`;
      response.json({ path: names.join("/"), link, expires_at: isoTime(until) });
    },
    async readLinked(request, response) {
      const claims = links.read(String(request.params["token"]), Date.now());
      if (claims === null) throw new EngineError("NOT_FOUND", "the link is not valid, or no longer");
      // As a call with a key: it is work, and its connection stays.
      request.socket.emit(AUTHENTICATED);
      wakefulness.noteWork(response);
      await using file = (await openContent(workspaceDir, namesWithin(claims.path))).file;
      await sendFile({ file, path: claims.path }, { request, response }, sending);
    },
    listArtifacts(request, response) {
      const taskId = String(request.params["task_id"]);
      if (taskList.find(taskId) === null) throw unknownTask();
      response.json(artifacts.list(taskId));
    },
  } satisfies Record<string, RequestHandler>;
};

function pathOf(request: Request): string {
  const path = parameter(request, "path");
  if (path === undefined) throw new InvalidInput("path", "expected the path of a file in the workspace");
  return path;
}

const folderOf = (request: Request): readonly string[] => namesOf(parameter(request, "path") ?? "");

/** Aborted when the response is over. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}
