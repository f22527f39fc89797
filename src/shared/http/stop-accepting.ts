import type { Server } from "node:http";
import type { Socket } from "node:net";

/** The requests and bytes of a connection. */
interface Exchange {
  /** Requests without a complete response. */
  open: number;
  /** The bytes read when the last request and its response were complete. Null before the first one. */
  bytesRead: number | null;
  /** When it was accepted, in milliseconds of the monotonic clock. */
  readonly since: number;
}

/** Clients such as Node.js's `fetch` open a connection after an aborted call, without a request for it. */
const SILENT_MS = 1000;

/**
 * Returns a function that stops a server from accepting connections while no request can be lost: it closes the idle
 * connections, and returns false and goes on accepting when another one than `own` remains, on which a request runs or
 * may begin. A new one may begin a request within its first second. Those of `ending` may carry one request, whose
 * response the caller ends. Call it after the poll phase of the event loop (`setImmediate`), so that everything received
 * has been read.
 * A request that arrives on a connection just then is never read: its client sees the connection close.
 */
export function trackConnections(
  server: Server,
  now: () => number = () => performance.now(),
): (own: Socket, ending: ReadonlySet<Socket>) => boolean {
  const connections = new Map<Socket, Exchange>();
  server.on("connection", (socket) => {
    connections.set(socket, { open: 0, bytesRead: null, since: now() });
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    const exchange = connections.get(socket);
    if (exchange === undefined) return;
    exchange.open++;
    const note = () => (exchange.bytesRead = socket.bytesRead);
    response.once("close", () => {
      exchange.open--;
      note();
    });
    // The body of a refused request may end after its response.
    request.once("end", note);
  });
  return (own, ending) => {
    const isEnding = (socket: Socket, { open }: Exchange) => open === 1 && ending.has(socket);
    const others = [...connections].filter(
      ([socket, exchange]) => socket !== own && !socket.destroyed && !isEnding(socket, exchange),
    );
    const isSilent = (socket: Socket, { bytesRead, since }: Exchange) =>
      socket.bytesRead === (bytesRead ?? (now() - since >= SILENT_MS ? 0 : null));
    // `closeIdleConnections` of Node.js would also close one whose first request is on its way.
    if (!others.every(([socket, exchange]) => exchange.open === 0 && isSilent(socket, exchange))) return false;
    for (const [socket] of others) socket.destroy();
    server.close();
    return true;
  };
}
