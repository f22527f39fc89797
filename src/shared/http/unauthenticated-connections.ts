import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Emitted on a socket when a request on it has presented a valid key. */
export const AUTHENTICATED = "authenticated";

/**
 * Limits the connections that have presented no valid key yet. One beyond the limit closes the oldest one of the address
 * that has the most. So a new client is always accepted, and behind a proxy, where all clients share one address,
 * authenticated connections stay.
 */
export function boundUnauthenticated(server: Server, max: number): void {
  const byAddress = new Map<string, Set<Socket>>();
  let count = 0;
  const forget = (socket: Socket, address: string) => {
    const sockets = byAddress.get(address);
    if (sockets?.delete(socket) !== true) return;
    count--;
    if (sockets.size === 0) byAddress.delete(address);
  };
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const sockets = byAddress.get(address) ?? new Set();
    byAddress.set(address, sockets.add(socket));
    count++;
    const known = () => forget(socket, address);
    socket.once(AUTHENTICATED, known).once("close", known);
    if (count > max) oldestOfLargest(byAddress)?.destroy();
  });
}

function oldestOfLargest(byAddress: ReadonlyMap<string, ReadonlySet<Socket>>): Socket | undefined {
  let largest: ReadonlySet<Socket> = new Set();
  for (const sockets of byAddress.values()) if (sockets.size > largest.size) largest = sockets;
  const [oldest] = largest;
  return oldest;
}
