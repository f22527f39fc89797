import { createHash, timingSafeEqual } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { type Server, type ServerResponse, createServer } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { unlessMissing } from "../shared/files.ts";
import { TarWriter } from "../shared/tar.ts";
import { packFolder } from "./pack-folder.ts";
import { readUncollected } from "./read-uncollected.ts";
import { STORE_FILES } from "./store-snapshot.ts";

/** How long nobody may ask. */
const WAIT_MS = 60_000;
/** How long whoever asks may take nothing. */
const SILENCE_MS = 60_000;
const MAX_NOTES = 4000;
/** The trailer of an archive with a line for each file that is left out, in base64. */
const NOTES_TRAILER = "x-notes";

/**
 * Gives one answer about an engine's folder to the holder of a token, and ends: `/archive` is a tar archive, `/uncollected`
 * what the engine has spent since the position `known` (`ledger:revision`) and its notices, as JSON; null without a store.
 */
export function folderServer(folder: string, token: string): Server {
  const digest = sha256(`Bearer ${token}`);
  let isTaken = false;
  const server = createServer({ headersTimeout: WAIT_MS, requestTimeout: WAIT_MS }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const isHolder = timingSafeEqual(digest, sha256(request.headers.authorization ?? ""));
    if (!isHolder || isTaken) {
      response.writeHead(isHolder ? 409 : 401).end();
      return;
    }
    isTaken = true;
    response.setTimeout(SILENCE_MS, () => response.destroy());
    response.once("close", end);
    const answered =
      pathname === "/uncollected"
        ? uncollected(folder, searchParams.get("known") ?? "", response)
        : archive(folder, response);
    answered.catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))));
  });
  const end = () => {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
  };
  const timer = setTimeout(end, WAIT_MS);
  return server.once("close", () => clearTimeout(timer));
}

/** Serves until the one answer is given, with the token of a file. */
export async function serveFolder(folder: string, tokenFile: string, port: number): Promise<void> {
  const server = folderServer(folder, (await readFile(tokenFile, "utf8")).trim());
  // The first process of a container gets no signal that it does not wait for.
  process.once("SIGTERM", () => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(port);
}

async function archive(folder: string, response: ServerResponse): Promise<void> {
  let notes = "";
  const leaveOut = (path: string, reason: string) => {
    notes = `${notes}${JSON.stringify(path)}: ${reason}\n`.slice(0, MAX_NOTES);
  };
  const tar = new TarWriter();
  response.writeHead(200, { "content-type": "application/x-tar", trailer: NOTES_TRAILER });
  const sent = pipeline(tar.stream, response, { end: false });
  const packed = packFolder(folder, tar, leaveOut).then(
    () => tar.finish(),
    (error: unknown) => tar.fail(error instanceof Error ? error : new Error(String(error))),
  );
  await Promise.all([sent, packed]);
  response.addTrailers({ [NOTES_TRAILER]: Buffer.from(notes).toString("base64") });
  response.end();
}

async function uncollected(folder: string, known: string, response: ServerResponse): Promise<void> {
  const file = join(folder, STORE_FILES[0] ?? "");
  const [ledger = "", revision] = known.split(":");
  const isThere = (await unlessMissing(lstat(file))) !== null;
  const found = isThere ? readUncollected(file, { ledger, revision: Number(revision ?? 0) }) : null;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found));
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
