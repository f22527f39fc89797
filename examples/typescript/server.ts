/**
 * A product's backend. It knows its users, holds the keys, and proxies each turn to the page.
 * Run: PLATFORM_KEY=orchp_… node examples/typescript/server.ts
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { OrchdError, type Turn } from "@orchd/client";
import { engines } from "./engines.ts";

const { PORT = "3000" } = process.env;

/** Replace this with the session of your product: orchd does not authenticate users. */
function userOf(request: IncomingMessage): string {
  const user = request.headers["x-user"];
  if (typeof user !== "string" || user === "") throw new Refused(401, "X-User: expected the name of a user");
  return user;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://backend");
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { signal } = gone;
  switch (`${request.method} ${pathname}`) {
    case "POST /api/messages": {
      const user = userOf(request);
      const { task, message } = await bodyOf(request, ["task", "message"]);
      const engine = await engines.open(user);
      return stream(engine.execute({ taskId: task, message, thinking: true, signal }), response, signal);
    }
    case "GET /api/turns": {
      const [taskId, turnId] = [searchParams.get("task") ?? "", searchParams.get("turn") ?? ""];
      const after = Number(searchParams.get("after") ?? 0);
      const engine = await engines.open(userOf(request));
      return stream(engine.resume({ taskId, turnId, after, signal }), response, signal);
    }
    case "POST /api/answers": {
      const user = userOf(request);
      const { request_id, answer: chosen } = await bodyOf(request, ["request_id", "answer"]);
      await (await engines.open(user)).respond(request_id, chosen);
      return send(response, 200, { answered: true });
    }
    case "POST /api/cancel": {
      const user = userOf(request);
      const { task } = await bodyOf(request, ["task"]);
      return send(response, 200, { cancelled: await (await engines.open(user)).cancel(task) });
    }
    default:
      return sendPage(request, pathname, response);
  }
}

/** Passes a turn's events on. A reader that leaves does not end the turn. */
async function stream(turn: Turn, response: ServerResponse, signal: AbortSignal): Promise<void> {
  for await (const event of turn) {
    // The first event opens the stream: what fails before it is an ordinary error response.
    if (!response.headersSent) response.writeHead(200, { "Content-Type": "text/event-stream", ...STREAM_HEADERS });
    const type = event.event === "unknown" ? event.type : event.event;
    const isTaken = response.write(`event: ${type}\ndata: ${JSON.stringify(event.data)}\n\n`);
    if (!isTaken) await once(response, "drain", { signal });
  }
  if (!response.headersSent) response.writeHead(200, { "Content-Type": "text/event-stream", ...STREAM_HEADERS });
  response.end();
}
const STREAM_HEADERS = { "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no" };

const PAGE = join(import.meta.dirname, "../chat-page");
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
  "/chat.js": ["chat.js", "text/javascript; charset=utf-8"],
  "/style.css": ["style.css", "text/css; charset=utf-8"],
};

function sendPage(request: IncomingMessage, path: string, response: ServerResponse): void {
  const [file, type] = FILES[path] ?? [];
  if (request.method !== "GET" || file === undefined || type === undefined) throw new Refused(404, "no such page");
  response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": "default-src 'self'" });
  response.end(readFileSync(join(PAGE, file)));
}

/** A refusal of this backend itself. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function bodyOf<Name extends string>(
  request: IncomingMessage,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const body: unknown = await text(request)
    .then(JSON.parse)
    .catch(() => null);
  const fields = new Map(Object.entries(body ?? {}));
  for (const name of names)
    if (typeof fields.get(name) !== "string") throw new Refused(400, `${name}: expected a string`);
  return Object.fromEntries(fields) as Record<Name, string>;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    if (response.headersSent || response.destroyed) return void response.destroy();
    if (error instanceof Refused) return send(response, error.status, { error: error.message });
    const known = error instanceof OrchdError;
    process.stderr.write(`${request.method} ${request.url}: ${known ? `${error.code}: ` : ""}${String(error)}\n`);
    // An engine's error about a turn is for the user; an orchestrator's error is for the operator.
    send(response, known ? (error.status ?? 502) : 500, { error: known ? error.code : "INTERNAL_ERROR" });
  });
}).listen(Number(PORT), "127.0.0.1", () => {
  process.stdout.write(`the backend listens at http://127.0.0.1:${PORT}\n`);
});
