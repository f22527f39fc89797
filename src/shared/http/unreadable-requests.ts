import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

const TIMEOUT = "ERR_HTTP_REQUEST_TIMEOUT";
const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  [TIMEOUT]: "408 Request Timeout",
};

/** The error of a request that takes too long, as Node.js makes it. */
export const requestTimedOut = (): Error => Object.assign(new Error("Request timeout"), { code: TIMEOUT });

/** The parser of Node.js gives its reason in fixed words, such as "Invalid header token". */
interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string;
}

/**
 * Responds to a client that sends an invalid or too slow HTTP request, and closes the connection. `bodyOf` makes the body
 * of the response from a message.
 */
export function refuseUnreadable(server: Server, bodyOf: (message: string) => object): void {
  /** The last request of a connection. */
  const requests = new WeakMap<Duplex, IncomingMessage>();
  server.on("request", (request) => requests.set(request.socket, request));
  server.on("clientError", (error: ParserError, socket) => {
    const status = STATUS[error.code ?? ""] ?? "400 Bad Request";
    const body = bodyOf(`invalid HTTP request: ${error.reason ?? status.slice(4)}`);
    const refuse = () => close(socket, status, JSON.stringify(body));
    if (error.code !== TIMEOUT) return refuse();
    // Node.js checks the time before it reads. After a process was busy or stopped for as long, the request may be there.
    if (requests.get(socket)?.complete === true) requests.delete(socket);
    // After the poll phase of the event loop, which reads it.
    setImmediate(() => requests.get(socket)?.complete !== true && refuse());
  });
}

function close(socket: Duplex & { readonly bytesWritten?: number }, status: string, body: string): void {
  // A second response in the middle of a first would be read as its content.
  if (!socket.writable || socket.bytesWritten !== 0) {
    socket.destroy();
    return;
  }
  const headers = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}
