import { once } from "node:events";
import type { ServerResponse } from "node:http";

/**
 * Sends chunks as the reader takes them, and ends the response. Stops without an error when the reader is gone. When the
 * signal is aborted the connection is closed, so that the reader sees that the response is incomplete.
 *
 * Not `pipeline` of Node.js: it adds seven listeners for `close` to a response that has several, more than Node.js allows
 * without a warning.
 */
export async function sendChunks(
  response: ServerResponse,
  chunks: AsyncIterable<string | Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once("close", leave);
  const ended = AbortSignal.any([gone.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    for await (const chunk of chunks) {
      if (ended.aborted || response.destroyed) break;
      if (!response.write(chunk)) await once(response, "drain", { signal: ended });
    }
    if (!ended.aborted) response.end();
  } catch (error) {
    if (!ended.aborted) throw error;
  } finally {
    response.off("close", leave);
    if (signal?.aborted) response.destroy();
  }
}
