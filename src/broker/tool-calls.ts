import { type IncomingMessage, type ServerResponse } from "node:http";
import { createHash } from "node:crypto";
import {
  LOGIN_NEEDED_HEADER,
  TOOL_CALL_PATH,
  TOOL_KEY_HEADER,
  TOOL_LOGIN_PATH,
  TOOL_PREFIX,
  TOOL_TARGET_HEADER,
} from "../contract/broker/tool-calls.ts";
import type { Asked } from "../contract/broker/questions.ts";
import { type EngineStart, openEngineKey } from "../contract/broker/engine-key.ts";
import { type DaemonRoad, QuestionRefused } from "./ask-daemon.ts";
import { type ServerAnswer, ToolServerCalls } from "./call-tool-server.ts";
import { cutOut } from "./cut-out.ts";
import { BodyTooLong, readBody } from "./read-body.ts";

/** As long as a message of a tool server may be. */
const MAX_BODY_BYTES = 10 * 1024 ** 2;
const MAX_LOGIN_BYTES = 4096;
const MAX_TARGET = 16_384;
/** How long a token is used before the daemon is asked again: a deleted connection works no longer. */
const KEPT_MS = 60_000;
const MAX_KEPT = 4096;

type Target = Asked<"connection">["target"];

interface Call {
  readonly caller: EngineStart;
  readonly target: Target;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface KeptToken {
  readonly token: string;
  readonly privateHosts: readonly string[];
  readonly until: number;
}

interface ToolCallParts {
  readonly sealingKey: Uint8Array;
  readonly road: Pick<DaemonRoad, "ask">;
  /** Loads what calls by TLS need. */
  readonly prepareTls: () => Promise<void>;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

/**
 * Calls of engines at tool servers that users sign in to. The engine names the server, and the daemon gives the token of its
 * user for that address. An engine never sees one: neither the call nor the answer has it on the engine's side.
 */
export class ToolCalls {
  readonly #parts: ToolCallParts;
  readonly #servers = new ToolServerCalls();
  readonly #kept = new Map<string, KeptToken>();

  constructor(parts: ToolCallParts) {
    this.#parts = parts;
  }

  /** False when it is no call of a tool server. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = "", headers, method } = request;
    if (!url.startsWith(TOOL_PREFIX)) return false;
    const key = headers[TOOL_KEY_HEADER];
    const caller = typeof key === "string" ? openEngineKey(this.#parts.sealingKey, key) : null;
    const target = targetOf(headers[TOOL_TARGET_HEADER]);
    if (caller === null) refuse(response, 401, "expected the key of an engine of this deployment");
    else if (target === null) refuse(response, 400, `${TOOL_TARGET_HEADER}: expected a tool server`);
    else if (url === TOOL_LOGIN_PATH && method === "POST")
      this.#settle({ caller, target, request, response }, (call) => this.#link(call));
    else if (url === TOOL_CALL_PATH) this.#settle({ caller, target, request, response }, (call) => this.#forward(call));
    else refuse(response, 404, "expected the address of a call of a tool server");
    return true;
  }

  close(): void {
    this.#servers.close();
  }

  #settle(call: Call, work: (call: Call) => Promise<void>): void {
    work(call).catch((error: unknown) => {
      const { response, caller, target } = call;
      if (response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      if (error instanceof BodyTooLong) return refuse(response, 413, error.message);
      if (error instanceof QuestionRefused) return refuse(response, error.status, error.message);
      const { name, message } = error as Error;
      this.#parts.log(
        { engine_id: caller.engine, server: target.server, reason: name },
        "failed to call a tool server",
      );
      refuse(response, 502, `the tool server cannot be reached: ${message}`);
    });
  }

  async #link({ caller, target, request, response }: Call): Promise<void> {
    const turn = JSON.parse((await readBody(request, MAX_LOGIN_BYTES)).toString("utf8")) as Asked<"login">["turn"];
    const answer = await this.#parts.road.ask("login", { ...caller, target, turn });
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }

  async #forward(call: Call): Promise<void> {
    const { request, response } = call;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    // Kept, because it is sent again when the token was refused.
    const body = request.method === "POST" ? await readBody(request, MAX_BODY_BYTES) : null;
    let rejected: string | null = null;
    for (;;) {
      const found = await this.#token(call, rejected, gone.signal);
      if (found.state === "login") return loginNeeded(response);
      if (found.state === "away") return refuse(response, 503, "the login of the tool server cannot be renewed now");
      const { token, privateHosts } = found;
      if (call.target.url.startsWith("https:")) await this.#parts.prepareTls();
      const sent = { url: call.target.url, request, body, token, privateHosts, signal: gone.signal };
      const answer = await this.#servers.call(sent);
      if (answer.status !== 401) return passOn(answer, { response, token });
      answer.body.destroy();
      if (rejected !== null) return loginNeeded(response);
      rejected = createHash("sha256").update(token).digest("hex");
    }
  }

  async #token({ caller, target }: Call, rejected: string | null, signal: AbortSignal): Promise<Found> {
    const name = JSON.stringify([caller, target]);
    const kept = rejected === null ? this.#kept.get(name) : undefined;
    if (kept !== undefined && kept.until > performance.now()) return { state: "token", ...kept };
    this.#kept.delete(name);
    const answer = await this.#parts.road.ask("connection", { ...caller, target, rejected }, { signal });
    const { state, token, expires_at: expires, private_hosts: privateHosts } = answer;
    if (state !== "token" || token === null) return state === "away" ? { state } : { state: "login" };
    const oldest = this.#kept.size < MAX_KEPT ? undefined : this.#kept.keys().next().value;
    if (oldest !== undefined) this.#kept.delete(oldest);
    const lastsMs = expires === null ? KEPT_MS : Math.min(KEPT_MS, expires - Date.now());
    const fresh = { token, privateHosts, until: performance.now() + lastsMs };
    this.#kept.set(name, fresh);
    return { state: "token", ...fresh };
  }
}

type Found = ({ readonly state: "token" } & KeptToken) | { readonly state: "login" } | { readonly state: "away" };

/** The answer as it comes, without the token, which a server may echo. */
function passOn(
  { status, headers, body }: ServerAnswer,
  { response, token }: { readonly response: ServerResponse; readonly token: string },
): void {
  if (status >= 300 && status < 400) {
    body.destroy();
    return refuse(response, 502, "the tool server redirects; set the address that it redirects to");
  }
  response.writeHead(status, headers.filter(([, value]) => !value.includes(token)).flat());
  response.flushHeaders();
  const cut = cutOut(Buffer.from(token));
  body.once("error", () => response.destroy());
  cut.once("error", () => response.destroy());
  body.pipe(cut).pipe(response);
}

function targetOf(header: string | string[] | undefined): Target | null {
  if (typeof header !== "string" || header.length > MAX_TARGET) return null;
  try {
    const target = JSON.parse(Buffer.from(header, "base64url").toString("utf8")) as Target | null;
    return typeof target === "object" && typeof target?.url === "string" ? target : null;
  } catch {
    return null;
  }
}

function loginNeeded(response: ServerResponse): void {
  response.setHeader(LOGIN_NEEDED_HEADER, "1");
  refuse(response, 401, "the user has to sign in");
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message } }));
  response.req.resume();
}
