import type { IncomingMessage } from "node:http";
import type { BodyRoom } from "./body-room.ts";
import { type ReceivedBody, declaredLength, readBody } from "./read-body.ts";
import { Refusal } from "./refusal.ts";

const RETRY_AFTER_S = 1;

/** Refuses a body by its `Content-Length`, before any of it is read. */
export function assertDeclaredSize(request: IncomingMessage, maxBytes: number): void {
  if ((declaredLength(request) ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** Refuses a compressed body: its size after decompression has no bound. */
export function assertNotCompressed({ headers }: IncomingMessage, expected: string): void {
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    throw new Refusal("INVALID_REQUEST", `body: expected ${expected}, not compressed`);
}

/**
 * Receives the whole body, after authentication. A body that the route does not use is read too: the connection's next
 * request begins after it.
 */
export async function receiveBody(
  request: IncomingMessage,
  { maxBytes, room, owner }: { readonly maxBytes: number; readonly room: BodyRoom; readonly owner: string },
): Promise<ReceivedBody> {
  assertNotCompressed(request, "JSON");
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
