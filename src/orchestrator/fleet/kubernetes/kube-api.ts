import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import * as z from "zod/mini";
import type { ClusterAccess } from "./cluster-access.ts";
import { callError, isStatus, responseError } from "./kube-errors.ts";

const TIMEOUT_MS = 15_000;
/** Lists come in pages, so that no response is longer. */
const MAX_BODY_BYTES = 16 * 1_048_576;
const PAGE_ITEMS = 250;
/** How often a list is tried when its continue token expires. */
const MAX_LIST_ATTEMPTS = 3;

interface Call {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default: JSON. */
  readonly contentType?: string;
  readonly timeoutMs?: number;
}

interface StreamCall {
  readonly query: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** How long the stream may be silent. */
  readonly silenceMs: number;
}

const page = z.object({
  metadata: z.object({ resourceVersion: z.optional(z.string()), continue: z.optional(z.string()) }),
  items: z.nullable(z.array(z.unknown())),
});

/** A client of the Kubernetes API. Every call has a deadline, and every body a limit. */
export class KubeApi {
  readonly #access: ClusterAccess;
  readonly #agent: HttpAgent;
  readonly #request: typeof httpRequest;

  constructor(access: ClusterAccess) {
    this.#access = access;
    const isSecure = access.server.startsWith("https:");
    this.#request = isSecure ? httpsRequest : httpRequest;
    const options = { keepAlive: true, maxSockets: 32, maxFreeSockets: 4 };
    this.#agent = isSecure ? new HttpsAgent({ ...options, ...access.tls }) : new HttpAgent(options);
  }

  /** The JSON of a response, or null without a body. Throws {@link KubeError} and {@link KubeUnreachable}. */
  async call(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, call: Call = {}): Promise<unknown> {
    const { timeoutMs = TIMEOUT_MS } = call;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      const answer = await this.#send(method, path, { ...call, agent: this.#agent, signal: deadline.signal });
      const content = await readBounded(answer);
      if ((answer.statusCode ?? 500) >= 400) throw responseError(answer.statusCode ?? 500, content);
      return content === "" ? null : JSON.parse(content);
    } catch (error) {
      throw callError(error, deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Changes an object by a JSON merge patch. */
  async patch(path: string, body: object): Promise<void> {
    await this.call("PATCH", path, { body, contentType: "application/merge-patch+json" });
  }

  /** All objects of a collection, page by page, and the resource version from which a watch continues. */
  async list(
    path: string,
    query: Readonly<Record<string, string>>,
    /** For each page. */
    timeoutMs = TIMEOUT_MS,
  ): Promise<{ readonly items: readonly unknown[]; readonly version: string }> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#listOnce(path, query, timeoutMs);
      } catch (error) {
        if (attempt >= MAX_LIST_ATTEMPTS || !isStatus(error, 410)) throw error;
      }
    }
  }

  /** The body of a response, as a stream. An open one does not keep the process alive. */
  async stream(path: string, { query, signal, silenceMs }: StreamCall): Promise<IncomingMessage> {
    const ended = new AbortController();
    const abort = () => ended.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    const timer = setTimeout(() => ended.abort(new Error("no answer")), TIMEOUT_MS);
    try {
      const answer = await this.#send("GET", path, { query, agent: false, signal: ended.signal });
      answer.once("close", () => signal.removeEventListener("abort", abort));
      if ((answer.statusCode ?? 500) >= 400) throw responseError(answer.statusCode ?? 500, await readBounded(answer));
      answer.socket.setTimeout(silenceMs, () => answer.destroy(new Error(`no data for ${silenceMs} ms`))).unref();
      return answer;
    } catch (error) {
      signal.removeEventListener("abort", abort);
      throw callError(error, ended.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  async #listOnce(path: string, query: Readonly<Record<string, string>>, timeoutMs: number) {
    const items: unknown[] = [];
    for (let next = ""; ;) {
      const more = { ...query, limit: String(PAGE_ITEMS), ...(next !== "" && { continue: next }) };
      const found = z.parse(page, await this.call("GET", path, { query: more, timeoutMs }));
      items.push(...(found.items ?? []));
      next = found.metadata.continue ?? "";
      if (next === "") return { items, version: found.metadata.resourceVersion ?? "" };
    }
  }

  async #send(
    method: string,
    path: string,
    {
      query = {},
      body,
      contentType = "application/json",
      agent,
      signal,
    }: Call & { readonly agent: HttpAgent | false; readonly signal: AbortSignal },
  ): Promise<IncomingMessage> {
    const { server, tls } = this.#access;
    const token = await this.#access.token();
    const search = new URLSearchParams(query).toString();
    const content = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      accept: "application/json",
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(content !== undefined && { "content-type": contentType, "content-length": Buffer.byteLength(content) }),
    };
    const attempt = (isRetry: boolean): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const url = `${server}${path}${search === "" ? "" : `?${search}`}`;
        const request = this.#request(url, { method, headers, agent, signal, ...tls });
        request.once("response", resolve);
        request.on("error", (error) => {
          // The server closed an idle keep-alive connection while it was being reused. Only reads are retried.
          if (method === "GET" && request.reusedSocket && !isRetry && !signal.aborted) resolve(attempt(true));
          else reject(error);
        });
        request.end(content);
      });
    return attempt(false);
  }
}

async function readBounded(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error(`an answer is longer than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
