import type { IncomingMessage } from "node:http";
import { GrowingBytes } from "./growing-bytes.ts";

/** The whole body of a request. Null when it is longer. */
export async function readWhole(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return null;
  const body = new GrowingBytes();
  // The caller answers and drops the rest.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (body.length + chunk.length > maxBytes) return null;
    body.append(chunk);
  }
  return body.bytes;
}
