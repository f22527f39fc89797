import type { IncomingMessage } from "node:http";
import { Readable, pipeline } from "node:stream";
import { ToolFailed } from "../tool.ts";
import { type Network, guardedRequest } from "./guarded-request.ts";

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
export const MAX_PAGE_BYTES = 5 * 1024 * 1024;

export interface Page {
  /** Where the redirects led. */
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** Whether there is more of the body than was taken. */
  readonly truncated: boolean;
}

export interface FetchOptions {
  readonly method: "GET" | "HEAD";
  readonly network: Network;
  readonly signal: AbortSignal;
}

/** What a URL gives, after at most five redirects, each judged as the first. */
export async function fetchPage(start: string, wish: FetchOptions): Promise<Page> {
  let url = webUrl(start);
  for (let redirects = 0; ; redirects++) {
    const response = await guardedRequest(url, wish).catch((error: NodeJS.ErrnoException) => fail(url, error, wish));
    const { statusCode: status = 0, headers } = response;
    if (!REDIRECTS.includes(status) || headers.location === undefined) {
      const body = await readBody(response, wish).catch((error: NodeJS.ErrnoException) => fail(url, error, wish));
      return { url, status, contentType: headers["content-type"] ?? "", ...body };
    }
    response.destroy();
    if (redirects === MAX_REDIRECTS) throw new ToolFailed(`${start} redirects more than ${MAX_REDIRECTS} times`);
    url = webUrl(headers.location, url);
  }
}

function webUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  const words = base === undefined ? text : `${base.href} redirects to ${text}, which`;
  if (url === null) throw new ToolFailed(`${words} is no URL`);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new ToolFailed(`${words} is neither http nor https`);
  if (url.username !== "" || url.password !== "") throw new ToolFailed(`${words} is refused: it holds credentials`);
  url.hash = "";
  return url;
}

/** The end of the call is the executor's to tell. */
function fail(url: URL, error: NodeJS.ErrnoException, { signal }: FetchOptions): never {
  signal.throwIfAborted();
  if (error instanceof ToolFailed) throw error;
  throw new ToolFailed(`${url.href} cannot be fetched (${error.code ?? error.message})`);
}

async function readBody(
  response: IncomingMessage,
  { method }: FetchOptions,
): Promise<Pick<Page, "body" | "truncated">> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (method === "HEAD") {
    response.destroy();
    return { body: Buffer.alloc(0), truncated: false };
  }
  // Counted as it unfolds: a small body that would fill the memory ends here too. To leave the loop is to hang up.
  for await (const chunk of await decoded(response)) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_PAGE_BYTES) break;
  }
  response.destroy();
  return { body: Buffer.concat(chunks).subarray(0, MAX_PAGE_BYTES), truncated: bytes > MAX_PAGE_BYTES };
}

async function decoded(response: IncomingMessage): Promise<Readable> {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return response;
  const zlib = await import("node:zlib");
  const decoders: Readonly<Record<string, (() => NodeJS.ReadWriteStream) | undefined>> = {
    gzip: zlib.createGunzip,
    "x-gzip": zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined;
  if (decoder === undefined) {
    response.destroy();
    throw new ToolFailed(`the server answered in the encoding ${JSON.stringify(encoding)}, which it was not asked for`);
  }
  // Whoever reads the decoder sees the failure; hanging up early is none.
  return pipeline(response, decoder, () => undefined) as unknown as Readable;
}
