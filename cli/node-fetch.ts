import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * `fetch` over `node:http`. The global `fetch` fails after 300 s without a response, but a call may wait for an engine
 * for an hour; and it resolves the user IDs `.` and `..` as path segments.
 */
export const nodeFetch: typeof fetch = async (input, { method = "GET", headers, body, signal } = {}) => {
  const text = String(input);
  const { protocol, hostname, port, origin } = new URL(text);
  const send = protocol === "https:" ? httpsRequest : httpRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send({
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      path: text.slice(origin.length),
      method,
      headers: { ...(headers as Readonly<Record<string, string>>) },
      ...(signal && { signal }),
    });
    request.on("response", resolve);
    request.on("error", reject);
    sendBody(request, body).catch((error: unknown) => request.destroy(error as Error));
  });
  return Object.defineProperty(responseOf(response), "url", { value: text });
};

/** A text, bytes, a file or a stream. The client sends no other body of the Fetch standard. */
async function sendBody(request: ClientRequest, body: RequestInit["body"]): Promise<void> {
  if (body instanceof Blob) {
    request.setHeader("content-length", body.size);
    return pipeline(Readable.fromWeb(body.stream()), request);
  }
  if (body instanceof ReadableStream) return pipeline(Readable.fromWeb(body), request);
  request.end(typeof body === "string" || body instanceof Uint8Array ? body : undefined);
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 502, headers } = message;
  const names = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  // The constructor refuses a body with these.
  const body = status === 204 || status === 304 ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers: names });
}
