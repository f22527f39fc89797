import { otlpRequest } from "./otlp-json.ts";
import type { Attributes } from "./span.ts";

export interface Collector {
  /** The URL for traces. */
  readonly url: string;
  /** Sent with each request. May contain a key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string };
}

type Sent =
  | { readonly kind: "accepted"; readonly rejected: number }
  | { readonly kind: "failed"; readonly reason: string; readonly isRetryable: boolean };

const RETRYABLE: readonly number[] = [429, 502, 503, 504];
const MAX_ANSWER_BYTES = 65_536;

/** One request of OTLP over HTTP, in JSON. Never rejects. */
export async function sendSpans(
  { url, headers, resource, scope }: Collector,
  spans: readonly object[],
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: otlpRequest(resource, scope, spans),
      redirect: "error",
      signal,
    });
    const text = await readBounded(answer);
    if (answer.ok) return { kind: "accepted", rejected: Math.min(rejectedSpans(text), spans.length) };
    const isRetryable = RETRYABLE.includes(answer.status);
    return { kind: "failed", reason: `the collector answered ${answer.status}`, isRetryable };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error), isRetryable: true };
  }
}

async function readBounded(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_BYTES) break;
  }
  return text;
}

/** The rejected spans of a partial success. 0 for a response in another form. */
function rejectedSpans(text: string): number {
  try {
    const answer = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } } | null;
    return Math.max(0, Math.trunc(Number(answer?.partialSuccess?.rejectedSpans ?? 0)) || 0);
  } catch (error) {
    if (error instanceof SyntaxError) return 0;
    throw error;
  }
}

/** Without the address and its query, which may hold a key. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return code || (error.name === "TimeoutError" ? "no answer in time" : error.name);
}
