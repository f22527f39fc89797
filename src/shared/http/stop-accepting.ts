import type { Server } from "node:http";
import type { Socket } from "node:net";

/** The requests and bytes of a connection. */
interface Exchange {
  /** Requests without a complete response. */
  open: number;
  /** The bytes read when the last request and its response were complete. Null before the first one. */
  bytesRead: number | null;
}

/**
 * Returns a function that stops a server from accepting connections while no request can be lost: it closes the idle
 * connections, and returns false and goes on accepting when another one than `own` remains, on which a request runs or
 * may begin. Those of `ending` may carry one request, whose response the caller ends. Call it after the poll phase of the event loop (`setImmediate`), so that everything received has been read.
 * A request that arrives on a connection just then is never read: its client sees the connection close.
 */
export function trackConnections(server: Server): (own: Socket, ending: ReadonlySet<Socket>) => boolean {
  const connections = new Map<Socket, Exchange>();
  server.on("connection", (socket) => {
    connections.set(socket, { open: 0, bytesRead: null });
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
    // `closeIdleConnections` of Node.js would also close one whose first request is on its way.
    if (others.some(([socket, { open, bytesRead }]) => open > 0 || bytesRead !== socket.bytesRead)) return false;
    for (const [socket] of others) socket.destroy();
    server.close();
    return true;
  };
}
