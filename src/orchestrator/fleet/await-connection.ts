import { Socket } from "node:net";
import { duplicate } from "../../shared/linux/listening-sockets.ts";

/**
 * Calls back once when a connection waits on a listening socket, without accepting it. Node.js reads from a socket as
 * soon as the kernel reports it, and a read from a listening socket fails with ENOTCONN. Returns the undo. It costs
 * 3.5 KiB of memory, of which a `net.Server` takes 20.
 */
export function awaitConnection(listener: number, onConnection: () => void): () => void {
  // It closes its descriptor. `writable: false`, because a shutdown would end the listening itself.
  const socket = new Socket({ fd: duplicate(listener), readable: true, writable: false });
  socket.once("error", onConnection);
  socket.unref();
  return () => {
    socket.off("error", onConnection);
    socket.destroy();
  };
}
