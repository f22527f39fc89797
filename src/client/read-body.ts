import { OrchdError } from "./orchd-error.ts";
import { MAX_TIMER_MS, withTimeout } from "./timeouts.ts";

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The error of a connection that failed or was lost. */
export function unreachable(url: string, error: unknown): OrchdError {
  return new OrchdError({ code: "UNREACHABLE", message: `${url} does not answer (${reasonOf(error)})`, cause: error });
}

/** `fetch` reports the reason in its error's cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause = error } = error;
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause ? String(cause.code) : cause.message;
}

/** A body's bytes as they arrive. `silenceMs` without any is a timeout. Leaving the loop closes the connection. */
export async function* readChunks(
  response: Response,
  { silenceMs, signal }: { readonly silenceMs: number; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const onTimeout = () => {
    throw new OrchdError({ code: "TIMEOUT", message: `no data arrived for ${silenceMs / 1000} s` });
  };
  const read = async () => {
    try {
      return await reader.read();
    } catch (error) {
      throw unreachable(response.url, error);
    }
  };
  try {
    for (;;) {
      const { done, value } = await withTimeout(read(), { ms: silenceMs, signal, onTimeout });
      if (done) return;
      yield value;
    }
  } finally {
    // The cancel of a lost connection fails, and nothing is left to close.
    reader.cancel().catch(() => undefined);
  }
}

/** The whole body as text, up to `maxBytes`. The signal carries its deadline. */
export async function readText(response: Response, signal: AbortSignal, maxBytes = MAX_BODY_BYTES): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of readChunks(response, { silenceMs: MAX_TIMER_MS, signal })) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      const message = `the response of ${response.url} is longer than ${maxBytes} bytes`;
      throw new OrchdError({ code: "BAD_ANSWER", message, status: response.status });
    }
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join("") + decoder.decode();
}
