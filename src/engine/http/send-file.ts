import type { FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import type { Request, Response } from "express";
import { sendChunks } from "../../shared/http/send-chunks.ts";
import { EngineError } from "../engine-error.ts";
import { rangeOf } from "../files/byte-range.ts";
import type { ContentDigests } from "../files/content-digests.ts";
import { ChangedWhileRead, chunksOfFile } from "../files/file-chunks.ts";
import { mediaTypeOf } from "../files/media-type.ts";
import { assertMatch, etagOf, names } from "../files/preconditions.ts";

/** What a file's response may do in a browser: nothing. Whoever wrote the file may want to run a script. */
const GUARDS = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Referrer-Policy": "no-referrer",
} as const;
/** A proxy must not send a part of it from its own memory, nor keep it. */
const PRIVATE = "private, no-cache";

export interface SentFile {
  readonly file: FileHandle;
  /** Names the file in the response. */
  readonly path: string;
}

export interface SendOptions {
  readonly digests: ContentDigests;
  /** A reader that takes nothing for so long is disconnected. */
  readonly silenceMs: number;
}

/** Answers with an open file or a range of it, as its conditions demand (RFC 9110, 13 and 14). */
export async function sendFile(
  { file, path }: SentFile,
  { request, response }: { readonly request: Request; readonly response: Response },
  { digests, silenceMs }: SendOptions,
): Promise<void> {
  const { digest, stats } = await digests.of(file);
  const etag = etagOf(digest);
  assertMatch({ ifMatch: request.get("If-Match") }, { etag, isThere: true });
  response.set({ ...GUARDS, "Cache-Control": PRIVATE, "Accept-Ranges": "bytes", ...(etag !== null && { ETag: etag }) });
  const known = request.get("If-None-Match");
  if (known !== undefined && names(known, etag)) {
    response.status(304).end();
    return;
  }
  const ifRange = request.get("If-Range");
  const wanted = ifRange === undefined || names(ifRange, etag) ? request.get("Range") : undefined;
  const range = rangeOf(wanted, stats.size);
  if (range === "unsatisfiable") {
    response.set("Content-Range", `bytes */${stats.size}`);
    throw new EngineError("RANGE_NOT_SATISFIABLE", `Range: the file has ${stats.size} bytes`);
  }
  const { start, end } = range ?? { start: 0, end: stats.size };
  response.status(range === null ? 200 : 206).set({
    "Content-Type": mediaTypeOf(path),
    "Content-Length": String(end - start),
    "Content-Disposition": attachment(basename(path)),
    "Last-Modified": stats.mtime.toUTCString(),
    "X-Accel-Buffering": "no",
    ...(range !== null && { "Content-Range": `bytes ${start}-${end - 1}/${stats.size}` }),
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  response.setTimeout(silenceMs);
  try {
    await sendChunks(response, chunksOfFile(file, { start, end }, etag === null ? null : stats));
  } catch (error) {
    if (!(error instanceof ChangedWhileRead)) throw error;
    // The reader sees that it got less than `Content-Length`.
    response.destroy();
  }
}

/** Always an attachment, so that a browser stores it (RFC 6266). */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w .-]/g, "_");
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
