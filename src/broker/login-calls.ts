import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ENGINE_KEY_HEADER } from "../contract/broker/secret-calls.ts";
import { LOGIN_NEEDED_HEADER, TOOL_TARGET_HEADER } from "../contract/broker/tool-calls.ts";
import { type Forgotten, isForgotten } from "../contract/broker/forget.ts";
import type { Asked } from "../contract/broker/questions.ts";
import { outsideAddresses } from "../shared/outside-addresses.ts";
import type { DaemonRoad } from "./ask-daemon.ts";
import { HOP_BY_HOP } from "./call-headers.ts";
import { type EngineCall, type Outgoing, Refusal } from "./outgoing.ts";
import { readBounded, readJson } from "./read-json.ts";
import { formsOfToken } from "./secret-forms.ts";

/** As long as a message of a tool server may be. */
const MAX_BODY_BYTES = 10 * 1024 ** 2;
const MAX_LOGIN_BYTES = 4096;
const MAX_TARGET = 16_384;
/** How long a token is used before the daemon is asked again: of a connection that was deleted while it could not tell. */
const KEPT_MS = 60_000;
const MAX_KEPT = 4096;
const NOT_SENT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ENGINE_KEY_HEADER,
  TOOL_TARGET_HEADER,
  "host",
  "authorization",
  // A token is looked for in the answer as it is.
  "accept-encoding",
  // Nor in pieces.
  "range",
  "if-range",
  "content-length",
  "expect",
]);

type Target = Asked<"connection">["target"];

interface KeptToken {
  readonly engine: string;
  /** Of the tool server. */
  readonly name: string;
  readonly token: string;
  readonly privateHosts: readonly string[];
  readonly until: number;
}

interface LoginCall {
  readonly call: EngineCall;
  readonly target: Target;
  /** Kept, because it is sent again when the token was refused. Null for a method without one. */
  readonly body: Buffer | null;
}

/**
 * Calls at tool servers that users sign in to. The engine names the server, and the daemon gives the token of its user for
 * that address.
 */
export class LoginCalls {
  readonly #road: Pick<DaemonRoad, "ask">;
  readonly #kept = new Map<string, KeptToken>();
  /** Counts what was forgotten: an answer from before is not kept after it. */
  #generation = 0;

  constructor(road: Pick<DaemonRoad, "ask">) {
    this.#road = road;
  }

  async prepare(call: EngineCall): Promise<Outgoing> {
    const target = targetOf(call);
    const body = call.request.method === "POST" ? await readBounded(call.request, MAX_BODY_BYTES) : null;
    return this.#attempt({ call, target, body }, null);
  }

  forget({ engines, connections }: Forgotten): void {
    this.#generation++;
    for (const [key, kept] of this.#kept) if (isForgotten(engines, connections, kept)) this.#kept.delete(key);
  }

  /** The link with which the user signs in. */
  async link(call: EngineCall): Promise<{ readonly url: string }> {
    const target = targetOf(call);
    const turn = (await readJson(call.request, MAX_LOGIN_BYTES)) as Asked<"login">["turn"];
    return this.#road.ask("login", { ...call.caller, target, turn });
  }

  /** `rejected`: the hash of a token that the server has refused. */
  async #attempt(login: LoginCall, rejected: string | null): Promise<Outgoing> {
    const { call, target, body } = login;
    const { token, privateHosts } = await this.#token(login, rejected);
    const { url, addresses } = await outsideAddresses(target.url, privateHosts);
    return {
      url,
      headers: [...headersToSend(call.request), "authorization", `Bearer ${token}`, "host", url.host],
      addresses,
      body: { kind: "whole", bytes: body },
      hidden: () => formsOfToken(token),
      instead: async ({ statusCode = 502 }) => {
        if (statusCode >= 300 && statusCode < 400)
          throw new Refusal(502, "the tool server redirects; set the address that it redirects to");
        if (statusCode !== 401) return null;
        if (rejected !== null) throw loginNeeded();
        return this.#attempt(login, createHash("sha256").update(token).digest("hex"));
      },
    };
  }

  async #token({ call: { caller, signal }, target }: LoginCall, rejected: string | null): Promise<KeptToken> {
    const key = JSON.stringify([caller, target]);
    const kept = rejected === null ? this.#kept.get(key) : undefined;
    if (kept !== undefined && kept.until > performance.now()) return kept;
    this.#kept.delete(key);
    const generation = this.#generation;
    const answer = await this.#road.ask("connection", { ...caller, target, rejected }, { signal });
    const { state, token, expires_at: expires, private_hosts: privateHosts } = answer;
    if (state === "away") throw new Refusal(503, "the login of the tool server cannot be renewed now");
    if (state !== "token" || token === null) throw loginNeeded();
    const lastsMs = expires === null ? KEPT_MS : Math.min(KEPT_MS, expires - Date.now());
    const { engine } = caller;
    const fresh = { engine, name: target.server, token, privateHosts, until: performance.now() + lastsMs };
    if (generation !== this.#generation) return fresh;
    const oldest = this.#kept.size < MAX_KEPT ? undefined : this.#kept.keys().next().value;
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, fresh);
    return fresh;
  }
}

/** The user's token takes the place of whatever the engine says of itself. */
function headersToSend({ rawHeaders }: IncomingMessage): string[] {
  const sent: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!NOT_SENT.has(name.toLowerCase())) sent.push(name, value);
  }
  return [...sent, "accept-encoding", "identity"];
}

function targetOf({ request }: EngineCall): Target {
  const header = request.headers[TOOL_TARGET_HEADER];
  if (typeof header === "string" && header.length <= MAX_TARGET)
    try {
      const target = JSON.parse(Buffer.from(header, "base64url").toString("utf8")) as Target | null;
      if (typeof target === "object" && typeof target?.url === "string") return target;
    } catch {
      // The refusal says it.
    }
  throw new Refusal(400, `${TOOL_TARGET_HEADER}: expected a tool server`);
}

const loginNeeded = (): Refusal => new Refusal(401, "the user has to sign in", { [LOGIN_NEEDED_HEADER]: "1" });
