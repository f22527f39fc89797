import { createServer } from "node:net";

/** Whether an engine could listen there now: tried by listening, since a bind alone succeeds beside another's bind. */
export function isPortFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(false);
      else reject(error);
    });
    server.listen({ host, port, exclusive: true, backlog: 1 }, () => server.close(() => resolve(true)));
  });
}
