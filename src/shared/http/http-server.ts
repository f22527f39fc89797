import { type RequestListener, type Server, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { boundUnauthenticated } from "./unauthenticated-connections.ts";

const SWEEP_MS = 50;
const HEADERS_TIMEOUT_MS = 10_000;
const TIMEOUT_CHECK_MS = 5000;

interface ServerLimits {
  /** One more is closed as soon as it is made. */
  readonly maxConnections: number;
  /** Of connections without a valid key; see {@link boundUnauthenticated}. */
  readonly maxUnauthenticated: number;
  /** For a whole request, its body included; what is not there by then is answered 408. */
  readonly requestTimeoutMs: number;
}

interface ListeningServer {
  readonly server: Server;
  readonly port: number;
  /** Stops taking connections, waits for the requests in flight up to the deadline, then cuts what is left. */
  close(deadlineMs: number): Promise<void>;
}

const DEFAULT_LIMITS: ServerLimits = { maxConnections: 4096, maxUnauthenticated: 2048, requestTimeoutMs: 30_000 };

/** A server that one client cannot use up: every connection, every request and every unread body has its bound. */
export function createBoundedServer(listener: RequestListener, limits: Partial<ServerLimits> = {}): Server {
  const { maxConnections, maxUnauthenticated, requestTimeoutMs } = { ...DEFAULT_LIMITS, ...limits };
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    inTurn((request, response) => {
      dropUnreadBody(request, response);
      listener(request, response);
    }),
  );
  server.maxConnections = maxConnections;
  boundUnauthenticated(server, maxUnauthenticated);
  return server;
}

/** Listens, or rejects with the reason (`EADDRINUSE`, `EACCES`) of the operating system. */
export async function listen(
  listener: RequestListener,
  host: string,
  port: number,
  limits: Partial<ServerLimits> = {},
): Promise<ListeningServer> {
  const server = createBoundedServer(listener, limits);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      // A connection that could not be accepted (too many open files): its client tries again. Without a listener the
      // process would end.
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

/** Node.js closes the connections that are idle now; those whose request ends later are closed then. */
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

/** Behind the one that is being answered. Hardly any client sends a second request before the first answer. */
const MAX_WAITING = 16;

/**
 * Handles the requests of one connection one after the other. Node.js hands over all that have arrived at once, without
 * a bound, and the answers behind the first one never emit `close` when the connection ends. Too many of them end it.
 */
function inTurn(listener: RequestListener): RequestListener {
  /** Of each connection with a request that is being answered: those behind it. */
  const connections = new WeakMap<Socket, Exchange[]>();
  const handle = ([request, response]: Exchange, waiting: Exchange[]): void => {
    response.once("close", () => {
      const next = waiting.shift();
      if (next === undefined) connections.delete(request.socket);
      // Without a socket it can no longer be answered.
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

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MS = 5000;

/**
 * A request may be answered before all of its body has come. Its client may not look for the answer before it has
 * sent everything, and a connection that is closed with bytes unread is reset, which can take the answer away. So what
 * still comes is read and dropped, up to a bound; after that the connection ends. Within it the connection goes on:
 * the next request begins where this body ends.
 */
function dropUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.once("prefinish", () => {
    if (request.complete) return;
    const { socket } = request;
    const late = setTimeout(() => socket.destroy(), MAX_MS).unref();
    let bytes = 0;
    request.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) socket.destroy();
    });
    request.once("close", () => clearTimeout(late));
    // Its reader may have left it paused.
    request.resume();
  });
}
