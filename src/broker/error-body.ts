import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** A longer answer of an error is cut. */
const MAX_BYTES = 256 * 1024;
const REDACTED = "(redacted)";

const DECODERS: Readonly<Record<string, (bytes: Uint8Array, limit: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/**
 * The body of a provider's error, without the key: an error may echo the request. Rejects when the answer ends early or
 * cannot be decoded.
 */
export async function errorBodyOf(answer: IncomingMessage, apiKey: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, MAX_BYTES);
  const encoding = answer.headers["content-encoding"]?.toLowerCase() ?? "identity";
  const decode = DECODERS[encoding];
  if (decode === undefined && encoding !== "identity") throw new Error(`unknown content-encoding ${encoding}`);
  const plain = decode === undefined ? bytes : decode(bytes, { maxOutputLength: 4 * MAX_BYTES });
  // By bytes, so that a body in another charset stays as it is.
  return Buffer.from(plain.toString("latin1").replaceAll(apiKey, REDACTED), "latin1");
}
