import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import type { Test } from "tap";

export interface TcpGate {
  readonly port: number;
  /** Drops all data from now on without closing: open and new connections stay half-open for ever. */
  silence(): void;
  /** Connections made from now on are forwarded again. */
  open(): void;
}

/** A proxy between a client and a server's Unix socket. */
export async function startTcpGate(t: Test, socketPath: string): Promise<TcpGate> {
  let silent = false;
  const sockets = new Set<Socket>();
  const pairs: [Socket, Socket][] = [];
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    if (silent) {
      near.resume();
      return;
    }
    const far = connect(socketPath);
    keep(far);
    near.pipe(far);
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    pairs.push([near, far]);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    silence() {
      silent = true;
      for (const [near, far] of pairs.splice(0)) {
        for (const [from, to] of [
          [near, far],
          [far, near],
        ] as const) {
          from.unpipe(to);
          from.resume();
          from.removeAllListeners("close");
          from.on("close", () => sockets.delete(from));
        }
      }
    },
    open() {
      silent = false;
    },
  };
}
