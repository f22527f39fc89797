import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";

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
    request.end(typeof body === "string" ? body : undefined);
  });
  return Object.defineProperty(responseOf(response), "url", { value: text });
};

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 502, headers } = message;
  const names = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  // The constructor refuses a body with these.
  const body = status === 204 || status === 304 ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers: names });
}
