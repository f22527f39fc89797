import type { Socket } from "node:net";
import type { Client } from "pg";
import { delay } from "../../shared/clock.ts";

/** The ping interval that detects a half-open connection. */
const PING_MS = 3000;
const CLOSE_MS = 1000;

/** One connection for session state: a lock or a LISTEN. */
export interface Session {
  readonly client: Client;
  /** Settles when the connection is closed, lost or no longer answers. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Opens a session that is closed when the signal aborts. */
export async function openSession(newClient: () => Client, signal: AbortSignal): Promise<Session> {
  const client = newClient();
  const closed = new AbortController();
  client.on("error", () => closed.abort());
  client.on("end", () => closed.abort());
  try {
    await client.connect();
  } catch (error) {
    destroyConnection(client);
    throw error;
  }
  const ended = watch(client, AbortSignal.any([closed.signal, signal]));
  return {
    client,
    ended,
    close() {
      closed.abort();
      return ended;
    },
  };
}

async function watch(client: Client, signal: AbortSignal): Promise<void> {
  while (await delay(PING_MS, signal)) {
    try {
      await client.query("select 1");
    } catch {
      // Opening the next session reports the cause.
      break;
    }
  }
  await Promise.race([client.end().catch(() => undefined), delay(CLOSE_MS)]);
  destroyConnection(client);
}

/** Destroys the socket. A regular end would wait for a response that a half-open connection never sends. */
export function destroyConnection(client: object): void {
  // pg does not expose its socket.
  (client as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy();
}
