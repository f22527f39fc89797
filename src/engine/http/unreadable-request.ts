import type { Socket } from "node:net";
import type { EngineErrorBody } from "../../contract/engine-api.ts";

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Tells a client whose bytes are no HTTP request so, in the form of every other error, and hangs up. */
export function refuseUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  // Where an answer has begun, another one in the middle of it would be taken for its content.
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const status = STATUS[error.code ?? ""] ?? "400 Bad Request";
  const body = JSON.stringify({
    error: "INVALID_REQUEST",
    message: `no readable HTTP request (${status.slice(4)})`,
  } satisfies EngineErrorBody);
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}
