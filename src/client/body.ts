import { OrchdError } from "./orchd-error.ts";
import { within } from "./waiting.ts";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** A lost connection, in words. */
export function unreachable(url: string, error: unknown): OrchdError {
  return new OrchdError({
    code: "UNREACHABLE",
    message: `${url} cannot be reached (${reasonOf(error)})`,
    cause: error,
  });
}

/** What `fetch` hides in its error's cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause = error } = error;
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause ? String(cause.code) : cause.message;
}

/** A body's bytes, as they come; after `silenceMs` without any it is given up. Whoever stops reading closes it. */
export async function* chunksOf(
  response: Response,
  { silenceMs, signal }: { readonly silenceMs: number; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const late = () => {
    throw new OrchdError({ code: "TIMEOUT", message: `nothing came for ${silenceMs / 1000} s` });
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
      const { done, value } = await within(read(), { ms: silenceMs, signal, late });
      if (done) return;
      yield value;
    }
  } finally {
    // A connection that is lost already has nothing left to close.
    void reader.cancel().catch(() => undefined);
  }
}

/** The whole answer, as far as one may be long; the signal brings its deadline. */
export async function readText(response: Response, signal: AbortSignal, maxBytes = MAX_ANSWER_BYTES): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(response, { silenceMs: 2 ** 31 - 1, signal })) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      const message = `the answer is longer than ${maxBytes} bytes`;
      throw new OrchdError({ code: "BAD_ANSWER", message, status: response.status });
    }
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join("") + decoder.decode();
}
