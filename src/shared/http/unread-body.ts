import type { IncomingMessage, ServerResponse } from "node:http";

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MS = 5000;

/**
 * A request may be answered before all of its body has come. Its client may not look for the answer before it has
 * sent everything, and a connection that is closed with bytes unread is reset, which can take the answer away. So what
 * still comes is read and dropped, up to a bound; after that the connection ends. Within it the connection goes on:
 * the next request begins where this body ends.
 */
export function dropUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.once("prefinish", () => {
    if (request.complete) return;
    const { socket } = request;
    const late = setTimeout(() => socket.destroy(), MAX_MS).unref();
    let bytes = 0;
    request.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) socket.destroy();
    });
    request.once("close", () => clearTimeout(late));
    // Its reader may have left it paused.
    request.resume();
  });
}
