import { createServer } from "node:net";
import { delay } from "../../shared/clock.ts";

const FIRST_POLL_MS = 5;
const LAST_POLL_MS = 100;

/** Whether an engine can listen on the port now. Tested by listening, since a bind alone may succeed on a used port. */
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

/** Waits until the port is free. False when it is still in use after `deadlineMs` milliseconds. */
export async function portFreed(host: string, port: number, deadlineMs: number): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, LAST_POLL_MS)) {
    if (await isPortFree(host, port)) return true;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(waitMs, leftMs));
  }
}
