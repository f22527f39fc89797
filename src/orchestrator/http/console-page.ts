import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Request, Response } from "express";
import { hasCode } from "../../shared/error-code.ts";
import { ApiError } from "../api-error.ts";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
};
/** The content encodings that the build may have made, in order of preference. */
const COMPRESSED = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;
/** Neither a path nor a hidden file. */
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

const GUARDS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** Sends the console's page. Its links are relative to `/console/`, so that it works under any public URL. */
export async function sendConsolePage(response: Response, folder: string): Promise<void> {
  const { req: request } = response;
  if (!request.path.endsWith("/")) return response.redirect(308, "console/");
  const page = await readFile(join(folder, "index.html"), "utf8").catch(noConsole);
  response.set({ ...GUARDS, "Content-Security-Policy": policyOf(page), "Cache-Control": "no-cache" });
  await sendFile(request, response, join(folder, "index.html"));
}

/** Sends a file of the page. Its name changes with its content, so that browsers keep it. */
export async function sendConsoleAsset(response: Response, folder: string, name: string): Promise<void> {
  if (!FILE_NAME.test(name) || !Object.hasOwn(TYPES, typeOf(name))) throw noSuchFile();
  response.set({ ...GUARDS, "Cache-Control": "public, max-age=31536000, immutable" });
  await sendFile(response.req, response, join(folder, "assets", name));
}

async function sendFile(request: Request, response: Response, path: string): Promise<void> {
  const { encoding, content } = await readAccepted(request, path);
  const tag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 27)}"`;
  response.set({ ETag: tag, Vary: "Accept-Encoding", "Content-Type": TYPES[typeOf(path)] });
  if (encoding !== null) response.set("Content-Encoding", encoding);
  // 304 when the browser has it.
  if (request.fresh) response.status(304).end();
  else response.set("Content-Length", String(content.length)).end(request.method === "HEAD" ? undefined : content);
}

/** Files are read for each call, so that an idle daemon holds none of them. */
async function readAccepted(request: Request, path: string): Promise<{ encoding: string | null; content: Buffer }> {
  for (const [encoding, suffix] of COMPRESSED) {
    if (request.acceptsEncodings(encoding) === false) continue;
    const content = await readFile(path + suffix).catch(missing);
    if (content !== null) return { encoding, content };
  }
  const content = await readFile(path).catch(missing);
  if (content === null) throw noSuchFile();
  return { encoding: null, content };
}

/** Only the page's own files and inline scripts run. It connects to this daemon only, and cannot be framed. */
function policyOf(page: string): string {
  const hashes = (tag: string) =>
    [...page.matchAll(new RegExp(`<${tag}(?![^>]*\\ssrc=)[^>]*>([^]*?)</${tag}>`, "g"))].map(
      ([, content = ""]) => ` 'sha256-${createHash("sha256").update(content).digest("base64")}'`,
    );
  return [
    "default-src 'none'",
    `script-src 'self'${hashes("script").join("")}`,
    `style-src 'self'${hashes("style").join("")}`,
    // `blob:`: files of a workspace that the page has read.
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}

const typeOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

function missing(error: unknown): null {
  if (hasCode(error, "ENOENT")) return null;
  throw error;
}

function noConsole(error: unknown): never {
  if (!hasCode(error, "ENOENT")) throw error;
  throw new ApiError("NOT_FOUND", "this orchd was built without the console; npm run build makes it");
}

const noSuchFile = (): ApiError => new ApiError("NOT_FOUND", "the console has no such file; reload the page");
