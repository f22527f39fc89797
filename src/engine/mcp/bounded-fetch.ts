import { type ByteFilter, eventFilter } from "./event-filter.ts";

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/**
 * Fetches, but never takes in an answer without end: a body may have so many bytes, a stream of events so many between
 * two blank lines, and of that which is told unasked only what `hears` wants.
 */
export function boundedFetch(hears: (method: string) => boolean) {
  return async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const events = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const limiter = events ? eventFilter({ hears, maxBytes: MAX_MESSAGE_BYTES }) : byteLimiter(MAX_MESSAGE_BYTES);
    const { status, statusText, headers } = response;
    const bounded = new Response(response.body.pipeThrough(new TransformStream(limiter)), {
      status,
      statusText,
      headers,
    });
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

function byteLimiter(maxBytes: number): ByteFilter {
  let bytes = 0;
  return {
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes) controller.error(new Error(`the answer is longer than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  };
}
