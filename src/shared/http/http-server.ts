import { type RequestListener, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inTurn } from "./in-turn.ts";
import { boundUnauthenticated } from "./unauthenticated-connections.ts";
import { dropUnreadBody } from "./unread-body.ts";

const SWEEP_MS = 50;
const HEADERS_TIMEOUT_MS = 10_000;
const TIMEOUT_CHECK_MS = 5000;

export interface ServerLimits {
  /** One more is closed as soon as it is made. */
  readonly maxConnections: number;
  /** Of connections without a valid key; see {@link boundUnauthenticated}. */
  readonly maxUnauthenticated: number;
  /** For a whole request, its body included; what is not there by then is answered 408. */
  readonly requestTimeoutMs: number;
}

export interface ListeningServer {
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
