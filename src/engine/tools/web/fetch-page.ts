import type { IncomingMessage } from "node:http";
import { Readable, pipeline } from "node:stream";
import { VERSION } from "../../../shared/version.ts";
import { ToolFailed } from "../tool.ts";
import { type Network, guardedRequest } from "./guarded-request.ts";

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_PAGE_BYTES = 5 * 1024 * 1024;
const HEADERS = {
  "user-agent": `orchd/${VERSION}`,
  accept: "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
  "accept-encoding": "gzip, deflate, br",
};

export interface Page {
  /** After redirects. */
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** Whether the body exceeded `MAX_PAGE_BYTES`. */
  readonly truncated: boolean;
}

export interface FetchOptions {
  readonly method: "GET" | "HEAD";
  readonly network: Network;
  readonly signal: AbortSignal;
}

/** Fetches a URL, following at most five redirects; each address is checked. */
export async function fetchPage(start: string, options: FetchOptions): Promise<Page> {
  let url = webUrl(start);
  for (let redirects = 0; ; redirects++) {
    const response = await guardedRequest(url, { ...options, headers: HEADERS }).catch((error: NodeJS.ErrnoException) =>
      fail(url, error, options),
    );
    const { statusCode: status = 0, headers } = response;
    if (!REDIRECTS.includes(status) || headers.location === undefined) {
      const body = await readBody(response, options).catch((error: NodeJS.ErrnoException) => fail(url, error, options));
      return { url, status, contentType: headers["content-type"] ?? "", ...body };
    }
    response.destroy();
    if (redirects === MAX_REDIRECTS) throw new ToolFailed(`${start} redirects more than ${MAX_REDIRECTS} times`);
    url = webUrl(headers.location, url);
  }
}

function webUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  const subject = base === undefined ? text : `${base.href} redirects to ${text}, which`;
  if (url === null) throw new ToolFailed(`${subject} is not a valid URL`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ToolFailed(`${subject} is neither http nor https`);
  if (url.username !== "" || url.password !== "")
    throw new ToolFailed(`${subject} is refused: it contains credentials`);
  url.hash = "";
  return url;
}

/** Rethrows an abort for the executor to report. */
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
  // Counts decompressed bytes, against decompression bombs. Leaving the loop closes the connection.
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
    throw new ToolFailed(`the server used the unrequested content encoding ${JSON.stringify(encoding)}`);
  }
  // The reader of the decoder sees an error; closing early is not one.
  return pipeline(response, decoder, () => undefined) as unknown as Readable;
}
