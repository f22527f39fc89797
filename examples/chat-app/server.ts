/**
 * The backend of the chat app. It knows its users, and passes the page's calls on to their engines with the engine's key.
 * Run: PLATFORM_KEY=orchp_… node examples/chat-app/server.ts
 */
import { readFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { OrchdError } from "@orchd/client";
import { type Admitted, admitted, dropKey } from "../typescript/engines.ts";

const { PORT = "3000" } = process.env;

/** What the page may call of its user's engine. All else, such as the memory and the catalog, is 404. */
const ENGINE_CALLS = [
  /^POST \/execute(\/cancel)?$/,
  /^GET \/execute\/replay$/,
  /^GET \/(hitl|tools)\/pending$/,
  /^POST \/(hitl|tools)\/respond$/,
  /^GET \/tasks$/,
  /^(GET|PATCH) \/tasks\/[^/]+$/,
  /^GET \/tasks\/[^/]+\/(messages|inbox)$/,
  /^POST \/tasks\/[^/]+\/rewind$/,
  /^(PATCH|DELETE) \/tasks\/[^/]+\/inbox\/[^/]+$/,
];
const MAX_BODY_BYTES = 1024 ** 2;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search, searchParams } = new URL(request.url ?? "/", "http://backend");
  if (pathname.startsWith("/engine/")) return callEngine(request, response, pathname.slice("/engine".length) + search);
  const user = searchParams.get("user");
  if (pathname === "/" && user !== null) response.setHeader("Set-Cookie", sessionOf(user));
  sendFile(request, pathname, response);
}

/** Stands in for the login of your product, whose session has a value that nobody can guess, and `Secure`. */
function sessionOf(user: string): string {
  if (!/^[\w.@-]{1,64}$/.test(user)) throw new Refused(400, "user: expected 1 to 64 letters, digits or . @ - _");
  return `user=${user}; HttpOnly; SameSite=Strict; Path=/`;
}

function userOf({ headers }: IncomingMessage): string {
  const [, user] = /(?:^|; )user=([\w.@-]+)(?:;|$)/.exec(headers.cookie ?? "") ?? [];
  if (user === undefined) throw new Refused(401, "sign in first: open /?user=<name>");
  // Pages of other ports of this host have the cookie too.
  if ((headers["sec-fetch-site"] ?? "same-origin") !== "same-origin")
    throw new Refused(403, "calls from other sites are not allowed");
  return user;
}

/** Passes one call on, and streams its response. The engine's key never reaches the page. */
async function callEngine(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const user = userOf(request);
  const [pathname = ""] = path.split("?");
  if (!ENGINE_CALLS.some((call) => call.test(`${request.method} ${pathname}`))) throw new Refused(404, "no such call");
  const body = await bodyOf(request);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const call = ({ url, key }: Admitted) =>
    fetch(url + path, {
      method: request.method ?? "GET",
      headers: { ...headersOf((name) => request.headers[name], CALL_HEADERS), "X-Engine-Key": key },
      body,
      redirect: "error",
      signal: gone.signal,
    });

  const first = await admitted(user);
  let answered = await call(first);
  if (answered.status === 401) {
    // Somebody else replaced the key.
    await answered.body?.cancel();
    dropKey(first);
    answered = await call(await admitted(user));
  }
  response.writeHead(answered.status, {
    ...headersOf((name) => answered.headers.get(name), ANSWER_HEADERS),
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    "X-Content-Type-Options": "nosniff",
  });
  // An event stream may be silent until its first event: the page sees at once that it is open.
  response.flushHeaders();
  if (answered.body === null) response.end();
  else await pipeline(Readable.fromWeb(answered.body), response);
}

const CALL_HEADERS = ["accept", "content-type", "idempotency-key", "last-event-id"];
const ANSWER_HEADERS = [
  "content-type",
  "retry-after",
  "x-turn-id",
  "idempotent-replayed",
  "x-truncated",
  "x-oldest-ts",
];

function headersOf(value: (name: string) => string | string[] | null | undefined, names: readonly string[]) {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const given = value(name);
    if (typeof given === "string") headers[name] = given;
  }
  return headers;
}

/** The whole body, because a call whose key was replaced is sent again. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw new Refused(413, "the body is too long");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Refused(413, "the body is too long");
    chunks.push(chunk);
  }
  return bytes === 0 ? null : Buffer.concat(chunks);
}

const CLIENT = fileURLToPath(import.meta.resolve("@orchd/client"));
const PARTS = ["page", "list", "conversation", "messages", "answer", "attempt", "waiting", "location", "elements"];
const FILES = new Map<string, readonly [file: string, type: string]>([
  ["/", [join(import.meta.dirname, "index.html"), "text/html; charset=utf-8"]],
  ["/style.css", [join(import.meta.dirname, "style.css"), "text/css; charset=utf-8"]],
  ["/client.js", [CLIENT, "text/javascript; charset=utf-8"]],
]);
for (const part of PARTS)
  FILES.set(`/${part}.js`, [join(import.meta.dirname, `${part}.js`), "text/javascript; charset=utf-8"]);

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function sendFile(request: IncomingMessage, path: string, response: ServerResponse): void {
  const [file, type] = FILES.get(path) ?? [];
  if (request.method !== "GET" || file === undefined || type === undefined) throw new Refused(404, "no such page");
  response.writeHead(200, {
    "Content-Type": type,
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Permissions-Policy": "geolocation=(self)",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(readFileSync(file));
}

/** A refusal of this backend itself. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const refused = error instanceof Refused;
    if (!refused) process.stderr.write(`${request.method} ${request.url?.split("?")[0]}: ${String(error)}\n`);
    // In the form of the engine's errors, which the client reads. What went wrong is for the operator.
    const code = error instanceof OrchdError ? error.code : refused ? "INVALID_REQUEST" : "INTERNAL_ERROR";
    response.writeHead(refused ? error.status : 502, { "Content-Type": "application/json", Connection: "close" });
    response.end(JSON.stringify({ error: code, message: refused ? error.message : "the agent cannot be reached" }));
  });
}).listen(Number(PORT), "127.0.0.1", () => {
  process.stdout.write(`the backend listens at http://127.0.0.1:${PORT}\n`);
});
