import type { IncomingMessage } from "node:http";
import { type Transform, pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { HOP_BY_HOP } from "./call-headers.ts";
import type { EngineCall } from "./outgoing.ts";
import { type Replacement, replaceInStream, replaceInText } from "./replace-stream.ts";

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};
/** The values have other lengths than what takes their place, and bodies are passed on decoded. */
const CHANGED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "content-length",
  "content-encoding",
  "content-md5",
  "digest",
]);

/** The answer as it comes, without the values, which a server may echo. Throws when it cannot be read. */
export function passOn(
  answer: IncomingMessage,
  { request, response }: Pick<EngineCall, "request" | "response">,
  forms: readonly Replacement[],
): void {
  const { statusCode: status = 502, rawHeaders } = answer;
  const isEmpty = request.method === "HEAD" || status === 204 || status === 304;
  const encoding = (answer.headers["content-encoding"] ?? "identity").toLowerCase();
  const decoder = DECODERS[encoding];
  if (decoder === undefined && encoding !== "identity" && !isEmpty)
    throw new Error(`it answers with the unknown encoding ${encoding}`);
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    // A name that has the value too is no header that anybody needs.
    const isEcho = replaceInText(name, forms) !== name;
    if (!CHANGED.has(name.toLowerCase()) && !isEcho) headers.push(name, replaceInText(value, forms));
  }
  response.writeHead(status, replaceInText(answer.statusMessage ?? "", forms), headers);
  response.flushHeaders();
  if (isEmpty) {
    answer.resume();
    response.end();
  } else if (decoder === undefined) pipeline(answer, replaceInStream(forms), response, ended);
  else pipeline(answer, decoder(), replaceInStream(forms), response, ended);
}

/** A failure has destroyed the response: the engine sees the cut. */
const ended = (): void => undefined;
