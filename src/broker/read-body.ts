import type { IncomingMessage } from "node:http";

export class BodyTooLong extends Error {
  override readonly name = "BodyTooLong";
}

/** The whole body of a request. Rejects with {@link BodyTooLong} as soon as it is longer. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new BodyTooLong(`expected at most ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
