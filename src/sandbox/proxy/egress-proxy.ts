import { type IncomingMessage, type Server, ServerResponse, createServer, request as httpRequest } from "node:http";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import type { Host } from "../host.ts";
import type { EgressRules } from "./egress-rules.ts";
import { type ProxyAnswer, failureAnswer, sendAnswer } from "./proxy-answer.ts";
import { type ProxyTarget, connectTarget, endToEndHeaders, forwardTarget, proxyPassword } from "./proxy-request.ts";
import { type OutsideTarget, connectTo, joinSockets } from "./upstream.ts";

const LOOPBACK = "127.0.0.1";
const OWN_NAMES: readonly string[] = [LOOPBACK, "localhost"];
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 15_000;
/** Connections above the limit, which get an HTTP error instead of a reset. */
const SPARE_CONNECTIONS = 64;

/** A plain HTTP request of a program. */
export interface ProxiedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Null: the address of the proxy itself. */
  readonly target: URL | null;
  /** Path and query. */
  readonly path: string;
  /** The proxy's own. */
  readonly port: number;
}

export interface EgressProxyParts {
  /** The rules that a token of `Proxy-Authorization` stands for; null for an unknown token. */
  readonly rulesOf: (token: string) => EgressRules | null;
  readonly onRefused: (host: string, text: string) => void;
  /** Called when a connection to a host has ended. */
  readonly onClosed: (host: string, bytes: TransferredBytes) => void;
  /**
   * Takes over a request: one for the proxy's own address, which needs no password, or one that the rules of a program
   * have not been asked about yet. False: the proxy handles it.
   */
  readonly takeOver?: ((request: ProxiedRequest) => boolean) | undefined;
  /** Connects a tunnel to a host that the rules permit in another way. Null: the proxy connects it. */
  readonly tunnel?: ((host: string, port: number) => Promise<Socket> | null) | undefined;
  /** Connects to every host that the rules permit, for tunnels and requests alike. Null: the proxy connects. */
  readonly outside?: ((target: OutsideTarget) => Promise<Socket> | null) | undefined;
  readonly limits?: Partial<EgressLimits>;
  readonly host: Host;
}

export interface TransferredBytes {
  readonly sent: number;
  readonly received: number;
}

export interface EgressLimits {
  /** Connections to hosts at once. */
  readonly maxConnections: number;
  /** A connection without traffic ends after this time. */
  readonly idleMs: number;
}

export const EGRESS_LIMITS: EgressLimits = { maxConnections: 256, idleMs: 600_000 };

interface Checked {
  readonly target: ProxyTarget;
  readonly rules: EgressRules;
}

/** The HTTP proxy of programs, on loopback. It forwards requests that the rules permit, and refuses others with a reason. */
export class EgressProxy {
  readonly #parts: EgressProxyParts;
  readonly #limits: EgressLimits;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #open = 0;

  constructor(parts: EgressProxyParts) {
    this.#parts = parts;
    this.#limits = { ...EGRESS_LIMITS, ...parts.limits };
    this.#server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: HEADERS_TIMEOUT_MS,
        // The idle timeout bounds an upload.
        requestTimeout: 0,
        shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
      },
      (request, response) => {
        if (this.#isTakenOver(request, response)) return;
        const passed = this.#pass(request, response, (target, socket) =>
          forward(target, socket, { request, response }),
        );
        parts.host.inBackground("request of a program", passed);
      },
    );
    this.#server.maxConnections = this.#limits.maxConnections + SPARE_CONNECTIONS;
    this.#server.on("connection", (socket: Socket) => this.#keep(socket));
    this.#server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
      parts.host.inBackground(
        "tunnel of a program",
        this.#pass(request, client, (_, socket) => joinTunnel(client, socket, head)),
      );
    });
    this.#server.on("upgrade", (request: IncomingMessage, client: Socket, head: Buffer) => {
      const passed = this.#pass(request, client, (target, socket) =>
        upgrade(target, socket, { request, client, head }),
      );
      parts.host.inBackground("upgrade of a program", passed);
    });
  }

  /** Resolves with the port. */
  async listen(): Promise<number> {
    this.#server.listen(0, LOOPBACK);
    await once(this.#server, "listening");
    // A failed accept, such as too many open files: the client retries.
    this.#server.on("error", () => undefined);
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Checks a request, connects to its target and hands both to `use`, or answers why not. */
  async #pass(
    request: IncomingMessage,
    client: ServerResponse | Socket,
    use: (target: ProxyTarget, upstream: Socket) => void,
  ): Promise<void> {
    // Without a listener, a lost client would end this process.
    client.on("error", () => client.destroy());
    const checked = this.#check(request);
    if ("status" in checked) return sendAnswer(client, checked);
    const { target } = checked;
    const isTunnel = request.method === "CONNECT";
    const upstream = await this.#connect(checked, isTunnel).catch((error: Error) => error);
    if (upstream instanceof Error) {
      const answer = failureAnswer(target.host, upstream);
      if (answer.status !== 403) return sendAnswer(client, answer);
      this.#parts.onRefused(target.host, answer.text);
      // Clients that do not show the body of a refused CONNECT show the reason.
      return sendAnswer(client, { ...answer, reason: this.#parts.host.words.forbidden });
    }
    if (client.destroyed) upstream.destroy();
    else use(target, upstream);
  }

  #isTakenOver(request: IncomingMessage, response: ServerResponse): boolean {
    const { takeOver } = this.#parts;
    const { url = "" } = request;
    const { port } = this.#server.address() as AddressInfo;
    if (takeOver === undefined) return false;
    if (url.startsWith("/")) return takeOver({ request, response, target: null, path: url, port });
    const target = forwardTarget(url);
    if (target === null) return false;
    const isOwn = target.port === port && OWN_NAMES.includes(target.host);
    if (!isOwn && "status" in this.#check(request)) return false;
    return takeOver({ request, response, target: isOwn ? null : new URL(url), path: target.path, port });
  }

  async #connect({ target: { host, port }, rules }: Checked, isTunnel: boolean): Promise<Socket> {
    this.#open += 1;
    try {
      const addresses = await rules.addressesOf(host, port);
      const other = isTunnel ? this.#parts.tunnel?.(host, port) : null;
      const outside = other ?? this.#parts.outside?.({ host, port, addresses });
      const upstream = await (outside ?? connectTo(host, port, addresses));
      this.#keep(upstream);
      upstream.once("close", () => {
        this.#open -= 1;
        this.#parts.onClosed(host, { sent: upstream.bytesWritten, received: upstream.bytesRead });
      });
      return upstream;
    } catch (error) {
      this.#open -= 1;
      throw error;
    }
  }

  #check({ method, url = "", headers }: IncomingMessage): ProxyAnswer | Checked {
    const { words } = this.#parts.host;
    const token = proxyPassword(headers["proxy-authorization"]);
    const rules = token === null ? null : this.#parts.rulesOf(token);
    if (rules === null) {
      const text = `${words.proxy} needs the user and password of HTTP_PROXY`;
      return { status: 407, text, realm: words.realm };
    }
    const target = method === "CONNECT" ? connectTarget(url) : forwardTarget(url);
    if (target === null) {
      const text = `${words.proxy} takes CONNECT host:port, and http:// URLs with a valid host and port`;
      return { status: 400, text };
    }
    return this.#open >= this.#limits.maxConnections ? { status: 503, text: words.busy } : { target, rules };
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setTimeout(this.#limits.idleMs, () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

function joinTunnel(client: Socket, upstream: Socket, head: Buffer): void {
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) upstream.write(head);
  joinSockets(client, upstream);
}

/** The headers of the forwarded request. `Host` is that of the URL, not the client's (RFC 9112, 3.2.2). */
function forwardedHeaders({ authority }: ProxyTarget, request: IncomingMessage): string[] {
  // Node.js has answered `Expect` itself.
  const headers = ["Host", authority, ...endToEndHeaders(request.rawHeaders, ["host", "expect"])];
  if (request.headers["transfer-encoding"] !== undefined) return [...headers, "Transfer-Encoding", "chunked"];
  const mayHaveBody = !["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"].includes(request.method ?? "");
  if (mayHaveBody && request.headers["content-length"] === undefined) headers.push("Content-Length", "0");
  return headers;
}

/** Passes on one request over a connection of its own, so that requests of programs never share one. */
function forward(
  target: ProxyTarget,
  upstream: Socket,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  const sent = httpRequest({
    createConnection: () => upstream,
    method: request.method,
    path: target.path,
    headers: forwardedHeaders(target, request),
  });
  sent.once("response", (answer) => {
    response.sendDate = false;
    try {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer.rawHeaders));
    } catch (error) {
      answer.destroy();
      return sendAnswer(response, failureAnswer(target.host, error as Error));
    }
    answer.pipe(response);
    // The client must not take a part for the whole.
    answer.once("error", () => response.destroy());
  });
  // The client requested no upgrade.
  sent.once("upgrade", () => {
    upstream.destroy();
    sendAnswer(response, failureAnswer(target.host, new Error("it changed the protocol")));
  });
  sent.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else sendAnswer(response, failureAnswer(target.host, error));
  });
  response.once("close", () => upstream.destroy());
  request.pipe(sent);
}

/** Passes on a WebSocket handshake, then joins the two connections. */
function upgrade(
  target: ProxyTarget,
  upstream: Socket,
  { request, client, head }: { readonly request: IncomingMessage; readonly client: Socket; readonly head: Buffer },
): void {
  const sent = httpRequest({
    createConnection: () => upstream,
    method: request.method,
    path: target.path,
    headers: [...forwardedHeaders(target, request), "Connection", "Upgrade", "Upgrade", "websocket"],
  });
  const writeHead = (answer: IncomingMessage, more: readonly string[]) => {
    const headers = [...endToEndHeaders(answer.rawHeaders), ...more];
    const lines = headers.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
    client.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n${lines}\r\n`, "latin1");
  };
  const abort = () => upstream.destroy();
  client.once("close", abort);
  sent.once("upgrade", (answer, _socket, first) => {
    client.off("close", abort);
    writeHead(answer, ["Connection", "Upgrade", "Upgrade", "websocket"]);
    if (first.length > 0) client.write(first);
    if (head.length > 0) upstream.write(head);
    joinSockets(client, upstream);
  });
  sent.once("response", (answer) => {
    writeHead(answer, ["Connection", "close"]);
    answer.pipe(client);
    answer.once("error", () => client.destroy());
  });
  sent.on("error", (error) => {
    if (client.bytesWritten > 0) client.destroy();
    else sendAnswer(client, failureAnswer(target.host, error));
  });
  sent.end();
}
