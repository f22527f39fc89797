import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

const WINDOW_MS = 100;
/** For each notification method, in each window. */
const MAX_NOTIFICATIONS = 20;
/** A well-behaved server waits for each response. */
const MAX_REQUESTS = 100;

/**
 * Limits the rate of unsolicited messages of a connected transport: excess notifications are dropped, excess requests
 * refused. Responses always pass.
 */
export function limitMessages(transport: Transport, onError: (error: Error) => void): void {
  const deliver = transport.onmessage;
  const limiter = new MessageLimiter();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  transport.onmessage = (message, extra) => {
    if (limiter.accepts(message)) return deliver?.(message, extra);
    if (!("id" in message) || message.id === undefined) return;
    const error = { code: -32_000, message: "too many requests" };
    transport.send({ jsonrpc: "2.0", id: message.id, error }).catch(onError);
  };
}

/** Counts messages by kind in fixed windows; `now` is in ms. */
export class MessageLimiter {
  readonly #counts = new Map<string, number>();
  #windowEndsAt = 0;

  accepts(message: JSONRPCMessage, now = performance.now()): boolean {
    if (!("method" in message)) return true;
    if (now >= this.#windowEndsAt) {
      this.#counts.clear();
      this.#windowEndsAt = now + WINDOW_MS;
    }
    const isRequest = "id" in message;
    const kind = isRequest ? "" : message.method;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return count <= (isRequest ? MAX_REQUESTS : MAX_NOTIFICATIONS);
  }
}
