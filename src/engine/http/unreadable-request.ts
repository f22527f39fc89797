import type { Socket } from "node:net";
import type { EngineErrorBody } from "../../contract/engine-api.ts";

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Responds to a malformed HTTP request with the error body of the interface, and closes the connection. */
export function refuseUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  // After a response has begun, a second one would be read as part of its body.
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const status = STATUS[error.code ?? ""] ?? "400 Bad Request";
  const body = JSON.stringify({
    error: "INVALID_REQUEST",
    message: `malformed HTTP request (${status.slice(4)})`,
  } satisfies EngineErrorBody);
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}
