import { type IncomingMessage, type ServerResponse, request as requestHttp } from "node:http";
import {
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  createSecureServer,
} from "node:http2";
import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { type EngineStart, openEngineKey } from "../contract/broker/engine-key.ts";
import { hostCertificate, interceptCa } from "../contract/broker/intercept-ca.ts";
import {
  ENGINE_KEY_HEADER,
  SECRET_CALL_PATH,
  SECRET_NAMES_HEADER,
  SECRET_TARGET_HEADER,
  encodeUrl,
} from "../contract/broker/secret-calls.ts";
import { HOP_BY_HOP } from "./call-headers.ts";
import { OpenCalls } from "./open-calls.ts";
import { reasonOf, refuseConnect } from "./refuse-connect.ts";
import { isHostOf } from "./secret-hosts.ts";
import { namesIn } from "./secret-names.ts";
import type { SecretValues } from "./secret-values.ts";

/** Hosts of engines whose certificates are kept. */
const MAX_SERVERS = 512;
/** A certificate is valid for a week. */
const SERVER_MS = 86_400_000;
const IDLE_MS = 300_000;
const MAX_HEADER_BYTES = 48 * 1024;
const NOT_PASSED: ReadonlySet<string> = new Set([...HOP_BY_HOP, "host", "expect", "content-length", "http2-settings"]);

/** Of one connection too. Node.js throws for them. */
const NOT_OF_HTTP_2 = ["proxy-connection", "http2-settings"];

type AnyRequest = IncomingMessage | Http2ServerRequest;
type AnyResponse = ServerResponse | Http2ServerResponse;

interface TunnelParts {
  readonly sealingKey: Uint8Array;
  readonly values: Pick<SecretValues, "find">;
  /** Serves a connection as one of this process's own port. */
  readonly serve: (connection: Duplex) => void;
}

interface Tunnel {
  readonly caller: EngineStart;
  readonly engineKey: string;
  /** The secrets that may be sent to this host. */
  readonly names: readonly string[];
  readonly target: URL;
}

interface Kept {
  readonly server: Http2SecureServer;
  readonly madeAt: number;
}

/**
 * Ends the TLS of programs to hosts of secrets, with a certificate of the engine's own authority, in HTTP/1.1 and HTTP/2.
 * Each request becomes a call with secrets of this process, which fills it, sends it and cleans the answer.
 */
export class InterceptTunnels {
  readonly #parts: TunnelParts;
  readonly #servers = new Map<string, Kept>();
  readonly #sockets = new Set<Duplex>();
  /** The requests in them are calls of their own. */
  readonly #tunnels = new OpenCalls();
  /** Requests. */
  #open = 0;
  #isDraining = false;

  constructor(parts: TunnelParts) {
    this.#parts = parts;
  }

  /** Takes a `CONNECT` of an engine's proxy. */
  connect(request: IncomingMessage, client: Duplex, head: Buffer): void {
    // Without a listener, a lost client would end this process.
    client.on("error", () => client.destroy());
    this.#accept(request, client, head).catch((error: unknown) => refuseConnect(client, ...reasonOf(error)));
  }

  /** Ends the connections as soon as there is no request. */
  drain(): void {
    this.#isDraining = true;
    if (this.#open === 0) this.close();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #accept({ url = "", headers }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const engineKey = headers[ENGINE_KEY_HEADER];
    const caller = typeof engineKey === "string" ? openEngineKey(this.#parts.sealingKey, engineKey) : null;
    if (caller === null || typeof engineKey !== "string")
      return refuseConnect(client, 401, "expected the key of an engine of this deployment");
    if (!this.#tunnels.enter(caller.engine, client)) return refuseConnect(client, 429, this.#tunnels.problem);
    const target = URL.parse(`https://${url}/`);
    const asked = namesIn(headers[SECRET_NAMES_HEADER]);
    if (target === null || target.pathname !== "/" || asked.length === 0)
      return refuseConnect(client, 400, `expected host:port and ${SECRET_NAMES_HEADER}`);
    const found = await Promise.all(asked.map((name) => this.#parts.values.find(caller, name)));
    const names = asked.filter((_, at) => isHostOf(found[at]?.hosts ?? [], target));
    if (names.length === 0)
      return refuseConnect(client, 403, `no secret of the engine's user may be sent to ${target.host}`);
    if (client.destroyed) return;
    const { server } = this.#serverFor({ caller, engineKey, names, target });
    this.#keep(client);
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) client.unshift(head);
    server.emit("connection", client);
  }

  #keep(client: Duplex): void {
    this.#sockets.add(client);
    client.once("close", () => this.#sockets.delete(client));
    (client as Socket).setTimeout(IDLE_MS, () => client.destroy());
  }

  #serverFor(tunnel: Tunnel): Kept {
    const { engineKey, names, target, caller } = tunnel;
    const id = JSON.stringify([engineKey, target.host, names]);
    const now = Date.now();
    const known = this.#servers.get(id);
    if (known !== undefined && now - known.madeAt < SERVER_MS) return known;
    const [oldest] = this.#servers.size < MAX_SERVERS ? [id] : this.#servers.keys();
    if (oldest !== undefined) this.#servers.delete(oldest);
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const certificate = hostCertificate(interceptCa(this.#parts.sealingKey, caller), host, now);
    const options = { ...certificate, allowHTTP1: true, maxHeaderSize: MAX_HEADER_BYTES };
    const server = createSecureServer(options, (request, response) => this.#pass(tunnel, request, response));
    // A program that does not trust the certificate, or breaks off.
    server.on("tlsClientError", () => undefined);
    server.on("sessionError", () => undefined);
    server.on("clientError", (_, socket) => socket.destroy());
    const kept = { server, madeAt: now };
    this.#servers.set(id, kept);
    return kept;
  }

  /** Makes a call with secrets of one request. */
  #pass({ engineKey, names, target }: Tunnel, request: AnyRequest, response: AnyResponse): void {
    const path = request.url ?? "";
    const url = path.startsWith("/") ? URL.parse(`https://${target.host}${path}`) : null;
    if (url === null) return answerShort(response, 400, "expected a path");
    if (!isPassable(request)) return answerShort(response, 400, "expected headers that HTTP/1.1 can carry");
    const [near, far] = duplexPair();
    far.on("error", () => far.destroy());
    this.#open++;
    const sent = requestHttp({
      createConnection: () => near,
      method: request.method,
      path: SECRET_CALL_PATH,
      headers: [
        ...passedHeaders(request.rawHeaders),
        ...framingOf(request),
        "host",
        "broker",
        ENGINE_KEY_HEADER,
        engineKey,
        SECRET_NAMES_HEADER,
        names.join(","),
        SECRET_TARGET_HEADER,
        encodeUrl(url.href),
        "connection",
        "close",
      ],
    });
    this.#parts.serve(far);
    sent.once("response", (answer) => {
      const headers = answerHeaders(answer.rawHeaders);
      if ("stream" in response) response.writeHead(answer.statusCode ?? 502, headers);
      else response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
      answer.pipe(response as NodeJS.WritableStream);
      // The program must not take a part for the whole.
      answer.once("error", () => abort(response));
    });
    sent.on("error", () => (response.headersSent ? abort(response) : answerShort(response, 502, "the call was cut")));
    response.once("close", () => {
      sent.destroy();
      this.#open--;
      if (this.#isDraining && this.#open === 0) this.close();
    });
    (request as NodeJS.ReadableStream).pipe(sent);
  }
}

/** Cookies of HTTP/2 may come in parts. */
function passedHeaders(rawHeaders: readonly string[]): readonly string[] {
  const passed: string[] = [];
  const cookies: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const key = name.toLowerCase();
    if (key === "cookie") cookies.push(value);
    else if (!key.startsWith(":") && !key.startsWith("x-orchd-") && !NOT_PASSED.has(key)) passed.push(name, value);
  }
  return cookies.length === 0 ? passed : [...passed, "cookie", cookies.join("; ")];
}

function framingOf(request: AnyRequest): readonly string[] {
  const length = request.headers["content-length"];
  if (length !== undefined) return ["content-length", length];
  const hasBody = "stream" in request ? !request.stream.endAfterHeaders : "transfer-encoding" in request.headers;
  return hasBody ? ["transfer-encoding", "chunked"] : [];
}

/** Whether the headers of HTTP/2, which are UTF-8, have only what those of HTTP/1.1 may. */
const isPassable = ({ method = "", rawHeaders }: AnyRequest): boolean =>
  isToken(method) && passedHeaders(rawHeaders).every((text, at) => (at % 2 === 0 ? isToken(text) : isFieldValue(text)));

const isToken = (text: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(text);
const isFieldValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

/** Of a host that says something twice, both are passed on as one: many headers may stand in HTTP/2 once only. */
function answerHeaders(rawHeaders: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const key = name.toLowerCase();
    if (key === "set-cookie") cookies.push(value);
    else if (!HOP_BY_HOP.includes(key) && !NOT_OF_HTTP_2.includes(key))
      headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return cookies.length === 0 ? headers : { ...headers, "set-cookie": cookies };
}

function abort(response: AnyResponse): void {
  if ("stream" in response) response.stream.destroy();
  else response.destroy();
}

function answerShort(response: AnyResponse, status: number, message: string): void {
  if ("stream" in response) response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  else response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`orchd: ${message}\n`);
}
