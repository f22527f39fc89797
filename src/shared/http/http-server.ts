import { type RequestListener, type Server, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type ListenAddress, listening } from "./listen-address.ts";
import { boundUnauthenticated } from "./unauthenticated-connections.ts";
import { refuseUnreadable, requestTimedOut } from "./unreadable-requests.ts";

const SWEEP_MS = 50;
const HEADERS_TIMEOUT_MS = 10_000;
const TIMEOUT_CHECK_MS = 5000;

interface ServerOptions {
  /** Connections beyond this number are closed at once. */
  readonly maxConnections: number;
  /** The limit of connections without a valid key; see {@link boundUnauthenticated}. */
  readonly maxUnauthenticated: number;
  /** The timeout of a request with its body. A slower one gets 408. */
  readonly requestTimeoutMs: number;
  /** Requests whose body may take longer: whoever reads it ends one that makes no progress. */
  readonly uploads: { readonly isOne: (request: IncomingMessage) => boolean; readonly timeoutMs: number } | null;
  /** How many bytes of a refused body are read and dropped, so that its sender gets the response. */
  readonly maxUnreadBytes: number;
  /** The body of the response to an invalid HTTP request. */
  readonly errorBody: (message: string) => object;
}

interface ListeningServer {
  readonly server: Server;
  readonly port: number;
  /** Accepts no more connections, waits for requests in flight up to the deadline, then closes the rest. */
  close(deadlineMs: number): Promise<void>;
}

const DEFAULTS: ServerOptions = {
  maxConnections: 4096,
  maxUnauthenticated: 2048,
  requestTimeoutMs: 30_000,
  uploads: null,
  maxUnreadBytes: 4 * 1024 * 1024,
  errorBody: (message) => ({ message }),
};

/** A server with a limit on connections, requests and unread bodies, so that one client cannot exhaust it. */
export function createBoundedServer(listener: RequestListener, options: Partial<ServerOptions> = {}): Server {
  const { maxConnections, maxUnauthenticated, requestTimeoutMs, uploads, maxUnreadBytes, errorBody } = {
    ...DEFAULTS,
    ...options,
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: uploads?.timeoutMs ?? requestTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    inTurn((request, response) => {
      // Node.js has one timeout for all requests.
      if (uploads !== null && !uploads.isOne(request)) endLateBody(server, request, requestTimeoutMs);
      dropUnreadBody(request, response, maxUnreadBytes);
      listener(request, response);
    }),
  );
  server.maxConnections = maxConnections;
  boundUnauthenticated(server, maxUnauthenticated);
  refuseUnreadable(server, errorBody);
  return server;
}

/** Listens, or rejects with the reason (`EADDRINUSE`, `EACCES`) of the operating system. */
export const listen = (
  listener: RequestListener,
  host: string,
  port: number,
  options: Partial<ServerOptions> = {},
): Promise<ListeningServer> => listenAt(listener, { host, port }, options);

/** Like {@link listen}, also for an inherited listening socket. */
export async function listenAt(
  listener: RequestListener,
  address: ListenAddress,
  options: Partial<ServerOptions> = {},
): Promise<ListeningServer> {
  const server = createBoundedServer(listener, options);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listening(address), () => {
      server.off("error", reject);
      // A connection could not be accepted (too many open files). Without a listener the process would exit.
      server.on("error", () => undefined);
      resolve();
    });
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: (deadlineMs) => closeServer(server, deadlineMs),
  };
}

/** `close` of Node.js closes the connections that are idle now. Those that become idle later are closed here. */
function closeServer(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), deadlineMs);
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

type Exchange = readonly [IncomingMessage, ServerResponse];

/** Pipelined requests of one connection. Hardly any client sends a second request before the first response. */
const MAX_WAITING = 16;

/**
 * Handles the pipelined requests of one connection one after the other. Node.js emits all of them at once, without a
 * limit, and the later responses never emit `close` when the connection ends. Too many of them end the connection.
 */
function inTurn(listener: RequestListener): RequestListener {
  /** The waiting requests of each connection that has one in progress. */
  const connections = new WeakMap<Socket, Exchange[]>();
  const handle = ([request, response]: Exchange, waiting: Exchange[]): void => {
    response.once("close", () => {
      const next = waiting.shift();
      if (next === undefined) connections.delete(request.socket);
      // The connection has closed, so no response is possible.
      else if (next[1].socket !== null) handle(next, waiting);
    });
    listener(request, response);
  };
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const waiting = connections.get(socket);
    if (waiting === undefined) {
      const none: Exchange[] = [];
      connections.set(socket, none);
      handle([request, response], none);
    } else if (waiting.length < MAX_WAITING) waiting.push([request, response]);
    else socket.destroy();
  };
}

/** Ends a request whose body has not arrived in time, as Node.js does. */
function endLateBody(server: Server, request: IncomingMessage, timeoutMs: number): void {
  const { "transfer-encoding": encoding, "content-length": length } = request.headers;
  if (encoding === undefined && !(Number(length) > 0)) return;
  const late = setTimeout(() => {
    if (!request.complete) server.emit("clientError", requestTimedOut(), request.socket);
  }, timeoutMs).unref();
  request.once("end", () => clearTimeout(late)).once("close", () => clearTimeout(late));
}

const MAX_UNREAD_MS = 5000;

/**
 * Reads and drops the rest of a body whose request was answered early, up to a limit, after which the connection ends.
 * Many clients read the response only after sending everything, and closing a connection with unread bytes resets it,
 * which can lose the response.
 */
function dropUnreadBody(request: IncomingMessage, response: ServerResponse, maxBytes: number): void {
  response.once("prefinish", () => {
    if (request.complete) return;
    const { socket } = request;
    const late = setTimeout(() => socket.destroy(), MAX_UNREAD_MS).unref();
    let bytes = 0;
    request.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > maxBytes) socket.destroy();
    });
    request.once("close", () => clearTimeout(late));
    // The handler may have paused it. The end of a reader that it is piped to would pause it again.
    request.unpipe();
    request.resume();
  });
}
