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
  /** False once the end has begun. */
  isOpen(): boolean;
  /** Whether the connection answers now. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

interface SessionOptions {
  readonly pingMs?: number;
  /** Called with the time, of `performance.now()`, at which a ping was sent that was answered. */
  readonly onPong?: (sentAt: number) => void;
}

/** Opens a session that is closed when the signal aborts. Without a signal, only `close` closes it. */
export async function openSession(
  newClient: () => Client,
  signal: AbortSignal | null,
  { pingMs = PING_MS, onPong = () => undefined }: SessionOptions = {},
): Promise<Session> {
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
  const isOver = signal === null ? closed.signal : AbortSignal.any([closed.signal, signal]);
  const answers = async (): Promise<boolean> => {
    const sentAt = performance.now();
    try {
      await client.query("select 1");
    } catch {
      // Opening the next session reports the cause.
      return false;
    }
    if (isOver.aborted) return false;
    onPong(sentAt);
    return true;
  };
  const ended = watch(client, { signal: isOver, pingMs, answers });
  return {
    client,
    ended,
    isOpen: () => !isOver.aborted,
    answers: () => (isOver.aborted ? Promise.resolve(false) : answers()),
    close() {
      closed.abort();
      return ended;
    },
  };
}

async function watch(
  client: Client,
  {
    signal,
    pingMs,
    answers,
  }: { readonly signal: AbortSignal; readonly pingMs: number; readonly answers: () => Promise<boolean> },
): Promise<void> {
  while (await delay(pingMs, signal)) if (!(await answers())) break;
  await Promise.race([client.end().catch(() => undefined), delay(CLOSE_MS)]);
  destroyConnection(client);
}

/** Destroys the socket. A regular end would wait for a response that a half-open connection never sends. */
export function destroyConnection(client: object): void {
  // pg does not expose its socket.
  (client as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy();
}
