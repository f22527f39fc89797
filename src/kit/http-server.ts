import { type RequestListener, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";

const SWEEP_MS = 50;

export interface ListeningServer {
  readonly server: Server;
  readonly port: number;
  /** Stops taking connections, waits for the requests in flight up to the deadline, then cuts what is left. */
  close(deadlineMs: number): Promise<void>;
}

/** Listens, or rejects with the reason (`EADDRINUSE`, `EACCES`) of the operating system. */
export async function listen(listener: RequestListener, host: string, port: number): Promise<ListeningServer> {
  const server = createServer(listener);
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
