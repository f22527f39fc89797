import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

type Exchange = readonly [IncomingMessage, ServerResponse];

/** Behind the one that is being answered. Hardly any client sends a second request before the first answer. */
const MAX_WAITING = 16;

/**
 * Handles the requests of one connection one after the other. Node.js hands over all that have arrived at once, without
 * a bound, and the answers behind the first one never emit `close` when the connection ends. Too many of them end it.
 */
export function inTurn(listener: RequestListener): RequestListener {
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
