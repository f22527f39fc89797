import type { IncomingMessage } from "node:http";
import type { BodyBufferLimit } from "./body-buffer-limit.ts";
import { Refusal } from "./refusal.ts";

const RETRY_AFTER_S = 1;

/** Refuses a body by its `Content-Length`, before any of it is read. */
export function assertDeclaredSize(request: IncomingMessage, maxBytes: number): void {
  if ((declaredLength(request) ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** Refuses a compressed body: its size after decompression has no bound. */
export function assertNotCompressed({ headers }: IncomingMessage, expected: string): void {
  const { "content-encoding": content = "identity", "transfer-encoding": transfer = "chunked" } = headers;
  if (content.toLowerCase() !== "identity" || transfer.toLowerCase() !== "chunked")
    throw new Refusal("INVALID_REQUEST", `body: expected ${expected}, not compressed`);
}

/**
 * Receives the whole body, after authentication. A body that the route does not use is read too: the connection's next
 * request begins after it.
 */
export async function receiveBody(
  request: IncomingMessage,
  {
    maxBytes,
    room,
    owner,
    expected = "JSON",
  }: { readonly maxBytes: number; readonly room: BodyBufferLimit; readonly owner: string; readonly expected?: string },
): Promise<ReceivedBody> {
  assertNotCompressed(request, expected);
  assertDeclaredSize(request, maxBytes);
  const body = await readBody(request, { maxBytes, room, owner });
  switch (body.kind) {
    case "read":
      return body;
    case "too_large":
      throw tooLarge(maxBytes);
    case "no_room":
      throw new Refusal("SERVICE_UNAVAILABLE", "too many request bodies are being received", RETRY_AFTER_S);
    case "cut_off":
      throw new Refusal("INVALID_REQUEST", "body: the connection ended before it was received");
    default:
      return body satisfies never;
  }
}

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal("PAYLOAD_TOO_LARGE", `body: expected at most ${maxBytes / 1024} KiB`);

export interface ReceivedBody {
  readonly kind: "read";
  readonly bytes: Uint8Array;
  /** Drops the bytes and releases their memory. Idempotent. */
  readonly release: () => void;
}

export type BodyRead =
  | ReceivedBody
  | { readonly kind: "too_large" }
  /** Too many bodies are being received at the same time. */
  | { readonly kind: "no_room" }
  /** The connection ended before the whole body arrived. */
  | { readonly kind: "cut_off" };

const FIRST_CAPACITY = 4096;

/** The `Content-Length`, or null for `Transfer-Encoding: chunked`. */
export function declaredLength({ headers }: IncomingMessage): number | null {
  if (headers["transfer-encoding"] !== undefined) return null;
  return Number(headers["content-length"] ?? 0);
}

/**
 * Receives a body into one buffer, whose capacity counts against the limit: a client that sends single bytes costs no
 * more. The server's `requestTimeout` limits the time.
 */
export async function readBody(
  request: IncomingMessage,
  { maxBytes, room, owner }: { readonly maxBytes: number; readonly room: BodyBufferLimit; readonly owner: string },
): Promise<BodyRead> {
  let buffer = Buffer.alloc(0);
  let length = 0;
  const release = () => {
    room.give(owner, buffer.length);
    buffer = Buffer.alloc(0);
    length = 0;
  };
  const fail = (kind: "too_large" | "no_room" | "cut_off"): BodyRead => {
    release();
    return { kind };
  };
  try {
    // An early stop must not destroy the request, so that a response can be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const needed = length + chunk.length;
      if (needed > maxBytes) return fail("too_large");
      if (needed > buffer.length) {
        const capacity = Math.min(maxBytes, Math.max(needed, 2 * buffer.length, FIRST_CAPACITY));
        if (!room.take(owner, capacity - buffer.length)) return fail("no_room");
        const larger = Buffer.allocUnsafeSlow(capacity);
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      chunk.copy(buffer, length);
      length = needed;
    }
  } catch {
    return fail("cut_off");
  }
  return {
    kind: "read",
    get bytes() {
      return buffer.subarray(0, length);
    },
    release,
  };
}
