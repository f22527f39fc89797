/**
 * The backend of the browser chat. It signs users in and creates their tokens; the page calls their engines itself.
 * Run: PLATFORM_KEY=orchp_… node examples/browser-chat/server.ts
 */
import { readFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createOrchestratorClient } from "@orchd/client";

const { PORT = "3000", PLATFORM_KEY: platformKey = "", ORCH_URL: url = "http://127.0.0.1:7700" } = process.env;
const orchestrator = createOrchestratorClient({ url, platformKey });

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://backend");
  if (`${request.method} ${pathname}` === "POST /token") return sendToken(userOf(request), response);
  const user = searchParams.get("user");
  if (pathname === "/" && user !== null) response.setHeader("Set-Cookie", sessionOf(user));
  sendFile(request, pathname, response);
}

/** The user's engine is created with the first token. */
async function sendToken(userId: string, response: ServerResponse): Promise<void> {
  await orchestrator.admit({ userId });
  const { token, expires_at } = await orchestrator.createToken(userId);
  response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify({ token, expires_at }));
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

const CLIENT = fileURLToPath(import.meta.resolve("@orchd/client/browser"));
const PARTS = ["page", "list", "conversation", "messages", "answer", "attempt", "waiting", "location", "elements"];
const SCRIPT = "text/javascript; charset=utf-8";
const here = (name: string): string => join(import.meta.dirname, name);
const FILES = new Map<string, readonly [file: string, type: string]>([
  ["/", [here("index.html"), "text/html; charset=utf-8"]],
  ["/style.css", [here("style.css"), "text/css; charset=utf-8"]],
  ["/client.js", [CLIENT, SCRIPT]],
  ...PARTS.map((part) => [`/${part}.js`, [here(`${part}.js`), SCRIPT]] as const),
]);

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The page calls the daemon.
  `connect-src 'self' ${new URL(url).origin}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function sendFile(request: IncomingMessage, path: string, response: ServerResponse): void {
  const [file, type] = FILES.get(path) ?? [];
  if (request.method !== "GET" || file === undefined || type === undefined) throw new Refused(404, "no such page");
  const content = readFileSync(file, "utf8").replace("%AGENT_URL%", url);
  response.writeHead(200, {
    "Content-Type": type,
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Permissions-Policy": "geolocation=(self)",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(content);
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
    const refused = error instanceof Refused;
    // What went wrong is for the operator.
    if (!refused) process.stderr.write(`${request.method} ${request.url?.split("?")[0]}: ${String(error)}\n`);
    response.writeHead(refused ? error.status : 502, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ error: refused ? error.message : "the agent cannot be reached" }));
  });
}).listen(Number(PORT), "127.0.0.1", () => {
  process.stdout.write(`the backend listens at http://127.0.0.1:${PORT}\n`);
});
