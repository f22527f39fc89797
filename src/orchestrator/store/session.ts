import type { Socket } from "node:net";
import type { Client } from "pg";
import { delay } from "../../shared/clock.ts";

/** A connection that is only believed to stand is found out within this and a statement's deadline. */
const PING_MS = 3000;
const CLOSE_MS = 1000;

/** One connection kept for what the database ties to it: a lock, a LISTEN. */
export interface Session {
  readonly client: Client;
  /** Settles when it is gone, whoever ended it; also when it has fallen silent. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Opens a session that ends with the signal at the latest. */
export async function openSession(newClient: () => Client, signal: AbortSignal): Promise<Session> {
  const client = newClient();
  const gone = new AbortController();
  client.on("error", () => gone.abort());
  client.on("end", () => gone.abort());
  try {
    await client.connect();
  } catch (error) {
    cut(client);
    throw error;
  }
  const ended = watch(client, AbortSignal.any([gone.signal, signal]));
  return {
    client,
    ended,
    close() {
      gone.abort();
      return ended;
    },
  };
}

async function watch(client: Client, signal: AbortSignal): Promise<void> {
  while (await delay(PING_MS, signal)) {
    try {
      await client.query("select 1");
    } catch {
      // What is wrong with it is found out, and told, by who opens the next one.
      break;
    }
  }
  await Promise.race([client.end().catch(() => undefined), delay(CLOSE_MS)]);
  cut(client);
}

/** Ends a connection at once: a polite end waits for an answer that a silent one never gives. */
export function cut(client: object): void {
  // The driver keeps its socket to itself.
  (client as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy();
}
