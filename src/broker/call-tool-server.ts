import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { fixedLookup } from "../sandbox/proxy.ts";
import { TOOL_KEY_HEADER, TOOL_TARGET_HEADER } from "../contract/broker/tool-calls.ts";
import { outsideAddresses } from "../shared/outside-addresses.ts";
import { HOP_BY_HOP } from "./call-headers.ts";

/** A call of one connection is never on the connection of another call: their addresses were checked for each by itself. */
const ONCE = { keepAlive: false } as const;
/** Until the server has begun to answer. */
const ANSWER_MS = 60_000;
const NOT_SENT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  TOOL_KEY_HEADER,
  TOOL_TARGET_HEADER,
  "host",
  "authorization",
  "accept-encoding",
  "content-length",
  "expect",
]);

interface ServerCall {
  readonly url: string;
  readonly request: IncomingMessage;
  /** Null for a method without one. */
  readonly body: Buffer | null;
  readonly token: string;
  readonly privateHosts: readonly string[];
  readonly signal: AbortSignal;
}

export interface ServerAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: IncomingMessage;
}

/** Calls tool servers with the tokens of users. Only addresses that the product may call are connected to. */
export class ToolServerCalls {
  readonly #agents = { "http:": new Agent(ONCE), "https:": new TlsAgent(ONCE) };

  async call({ url: address, request, body, token, privateHosts, signal }: ServerCall): Promise<ServerAnswer> {
    const { url, addresses } = await outsideAddresses(address, privateHosts);
    signal.throwIfAborted();
    const headers = headersToSend(request, token);
    if (body !== null) headers.push("content-length", String(body.length));
    headers.push("host", url.host);
    const options = { method: request.method, headers, lookup: fixedLookup(addresses), signal };
    const sent: ClientRequest =
      url.protocol === "https:"
        ? tlsRequest(url, { ...options, agent: this.#agents["https:"] })
        : plainRequest(url, { ...options, agent: this.#agents["http:"] });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const late = setTimeout(() => sent.destroy(new Error("no answer in time")), ANSWER_MS);
      sent.once("response", (response) => {
        clearTimeout(late);
        resolve(response);
      });
      // `on`: a second error without a listener would end the process.
      sent.on("error", (error) => {
        clearTimeout(late);
        reject(error);
      });
      sent.end(body ?? undefined);
    });
    const encoding = answer.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      answer.destroy();
      throw new Error("the tool server compresses its answer, although that was not asked for");
    }
    return { status: answer.statusCode ?? 502, headers: headersToPassOn(answer.rawHeaders), body: answer };
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}

/** The user's token takes the place of whatever the engine says of itself. A token is not looked for in compressed answers. */
function headersToSend({ rawHeaders }: IncomingMessage, token: string): string[] {
  const sent: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!NOT_SENT.has(name.toLowerCase())) sent.push(name, value);
  }
  return [...sent, "authorization", `Bearer ${token}`, "accept-encoding", "identity"];
}

function headersToPassOn(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  const passed: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const key = name.toLowerCase();
    // A token that is cut out changes the length.
    if (!HOP_BY_HOP.includes(key) && key !== "content-length") passed.push([name, value]);
  }
  return passed;
}
