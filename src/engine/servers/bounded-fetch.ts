const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/**
 * Fetches, but never takes in an answer without end: a body may have so many bytes, a stream of events so many between
 * two blank lines.
 */
export async function boundedFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  const events = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const body = response.body.pipeThrough(new TransformStream(limiter(events)));
  const { status, statusText, headers } = response;
  const bounded = new Response(body, { status, statusText, headers });
  Object.defineProperty(bounded, "url", { value: response.url });
  return bounded;
}

function limiter(events: boolean) {
  let bytes = 0;
  return {
    transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) {
      const end = events ? endOfLastEvent(chunk) : -1;
      bytes = end === -1 ? bytes + chunk.length : chunk.length - end;
      if (bytes > MAX_MESSAGE_BYTES)
        controller.error(new Error(`the answer is longer than ${MAX_MESSAGE_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  };
}

/** Behind the last blank line; one that is cut by the end of a chunk is missed, which only counts a message too long. */
function endOfLastEvent(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  return Math.max(...["\n\n", "\r\n\r\n", "\r\r"].map((mark) => text.lastIndexOf(mark)));
}
