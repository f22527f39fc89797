/**
 * The backend of the page with `useChat`. It signs users in and creates their tokens; the page calls their engines itself.
 * Run: PLATFORM_KEY=orchp_… node examples/use-chat/server.ts
 */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { createOrchestratorClient } from "@orchd/client";
import { buildPage } from "./build-page.ts";

const { PORT = "3000", PLATFORM_KEY: platformKey = "", ORCH_URL: url = "http://127.0.0.1:7700" } = process.env;
const orchestrator = createOrchestratorClient({ url, platformKey });
const files = await buildPage();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://backend");
  if (`${request.method} ${pathname}` === "POST /token") return sendToken(request, response);
  const file = files.get(pathname);
  if (request.method !== "GET" || file === undefined) return refuse(response, 404, "no such page");
  const user = searchParams.get("user");
  // Stands in for the login of your product, whose session has a value that nobody can guess, and `Secure`.
  if (user !== null && /^[\w.@-]{1,64}$/.test(user))
    response.setHeader("Set-Cookie", `user=${user}; HttpOnly; SameSite=Strict; Path=/`);
  response.writeHead(200, {
    "Content-Type": file.type,
    // The page calls the daemon, and shows files of the engine.
    "Content-Security-Policy": `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${new URL(url).origin}; img-src 'self' ${new URL(url).origin}; frame-ancestors 'none'`,
    "X-Content-Type-Options": "nosniff",
  });
  response.end(file.content.replace("%AGENT_URL%", url));
}

/** The user's engine is created with the first token. */
async function sendToken({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, userId] = /(?:^|; )user=([\w.@-]+)(?:;|$)/.exec(headers.cookie ?? "") ?? [];
  // Pages of other ports of this host have the cookie too.
  const isOwnPage = (headers["sec-fetch-site"] ?? "same-origin") === "same-origin";
  if (userId === undefined || !isOwnPage) return refuse(response, 401, "sign in first: open /?user=<name>");
  await orchestrator.admit({ userId });
  const { token, expires_at } = await orchestrator.createToken(userId);
  response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify({ token, expires_at }));
}

function refuse(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify({ error }));
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    process.stderr.write(`${request.method} ${request.url?.split("?")[0]}: ${String(error)}\n`);
    refuse(response, 502, "the agent cannot be reached");
  });
}).listen(Number(PORT), "127.0.0.1", () => {
  process.stdout.write(`the backend listens at http://127.0.0.1:${PORT}\n`);
});
