import { assertUnchangedByFetch, baseAddress } from "./address.ts";
import type { ClientLimits } from "./limits.ts";
import { OrchdError } from "./orchd-error.ts";
import { readChunks, readText, unreachable } from "./read-body.ts";
import { parseObject, readError } from "./read-response.ts";
import { retryWait } from "./retry-rule.ts";
import { LinkedAbort, pause } from "./timeouts.ts";

/** What all calls of one client share. */
export interface Service {
  readonly url: string;
  /** The key's header. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  /** `fetch` sends a path unchanged; the global one resolves `.` and `..`. */
  readonly exactPaths?: boolean | undefined;
  readonly limits: ClientLimits;
}

/** How a client reaches its service. */
export interface ConnectionOptions {
  readonly url: string;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Set if your own `fetch` sends a path unchanged, so that the user IDs "." and ".." can be sent. */
  readonly exactPaths?: boolean | undefined;
  readonly limits?: Partial<ClientLimits> | undefined;
}

/** The service that a client calls, with its key's header and its own default limits. */
export const serviceOf = (
  { url, fetch, exactPaths, limits }: ConnectionOptions,
  headers: Service["headers"],
  defaults: ClientLimits,
): Service => ({
  url: baseAddress(url),
  headers,
  fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
  exactPaths,
  limits: { ...defaults, ...limits },
});

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Retry {
  /** A call is sent again, a turn started again, or a lost stream resumed. */
  readonly kind: "call" | "turn" | "stream";
  readonly error: OrchdError;
  /** Failed tries so far; of a stream, since its last new event. */
  readonly tries: number;
  readonly waitMs: number;
}

export interface RequestParams {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly upload?: {
    readonly content: Blob | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
    readonly type: string;
  };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The limit of the route, which `deadlineMs` replaces. */
  readonly timeout?: Timeout | undefined;
  readonly deadlineMs?: number | undefined;
}

export interface RetryOptions {
  /** Whether a call is sent again when the service may have run it already; true by default. */
  readonly repeatable?: boolean;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** One call with a JSON object as its response, retried as its errors allow. */
export function callJson<T>(service: Service, request: RequestParams, retry: RetryOptions = {}): Promise<T> {
  return withRetries(service, { ...retry, signal: request.signal }, () => callOnce<T>(service, request));
}

async function callOnce<T>(service: Service, request: RequestParams): Promise<T> {
  const abort = withDeadline(service, request);
  try {
    const response = await send(service, { ...request, signal: abort.signal }, "application/json");
    return parseObject(await readText(response, abort.signal), response) as T;
  } finally {
    abort.dispose();
  }
}

/** An open stream. Reading it to its end, or leaving the loop, closes it. */
interface OpenStream {
  readonly headers: Headers;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Of a user's file. */
export const ANY_TYPE = "*/*";

interface StreamParams extends RequestParams {
  readonly signal: AbortSignal;
  /** The expected content type; an event stream by default. */
  readonly type?: string;
  /** How long the stream may be silent; `limits.silenceMs` by default. */
  readonly silenceMs?: number;
}

/** Opens a stream, without a retry. Only opening it has a deadline. */
export async function openStream(service: Service, params: StreamParams): Promise<OpenStream> {
  const { type = "text/event-stream", silenceMs = service.limits.silenceMs, signal, ...request } = params;
  const abort = withDeadline(service, params);
  try {
    const response = await send(service, { ...request, signal: abort.signal }, type);
    const [received = ""] = (response.headers.get("content-type") ?? "").split(";");
    if (type !== ANY_TYPE && received.trim().toLowerCase() !== type) throw await readError(response, abort.signal);
    return { headers: response.headers, chunks: readChunks(response, { silenceMs, signal }) };
  } finally {
    abort.dispose();
  }
}

/** By the names that the rows of the route tables have. */
type Timeout = keyof ReturnType<typeof timeoutsOf>;

const timeoutsOf = ({ deadlineMs, engineDeadlineMs }: ClientLimits) => ({
  short: deadlineMs,
  boot: engineDeadlineMs,
  hour: 3600_000,
});

/** The caller's signal and the call's deadline in one. */
const withDeadline = (
  { limits, url }: Service,
  { signal, timeout = "short", deadlineMs = timeoutsOf(limits)[timeout] }: RequestParams,
): LinkedAbort =>
  new LinkedAbort(signal, {
    ms: deadlineMs,
    reason: () => new OrchdError({ code: "TIMEOUT", message: `${url} did not answer within ${deadlineMs / 1000} s` }),
  });

/** Resolves with the head of a successful response; throws the error of any other. */
async function send(
  { url, headers, fetch, exactPaths = false }: Service,
  { method, path, body, upload, headers: more, signal }: RequestParams & { readonly signal: AbortSignal },
  accept: string,
): Promise<Response> {
  if (!exactPaths) assertUnchangedByFetch(path);
  const sent = upload ?? (body === undefined ? null : { content: JSON.stringify(body), type: "application/json" });
  let response: Response;
  try {
    response = await fetch(url + path, {
      method,
      headers: { accept, ...(sent !== null && { "content-type": sent.type }), ...headers, ...more },
      ...(sent !== null && { body: sent.content }),
      // The Fetch standard requires it for a streamed body.
      ...(sent !== null && isStream(sent.content) && { duplex: "half" }),
      // A redirect would send the key to another address.
      redirect: "manual",
      cache: "no-store",
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OrchdError) throw error;
    throw unreachable(url, error);
  }
  if (!response.ok) throw await readError(response, signal);
  return response;
}

/** A stream can be sent only once. */
export const isStream = (content: object | string): boolean => typeof content === "object" && "getReader" in content;

/** Tries until an attempt succeeds or the retry rule ends it. */
export async function withRetries<T>(
  { limits }: Pick<Service, "limits">,
  { signal, repeatable = true, onRetry }: RetryOptions & { readonly signal?: AbortSignal | undefined },
  attempt: () => Promise<T>,
): Promise<T> {
  const abort = new LinkedAbort(signal);
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof OrchdError)) throw error;
        const waitMs = retryWait(error, { tries, repeatable, limits, random: Math.random() });
        if (waitMs === null) throw error;
        onRetry?.({ kind: "call", error, tries, waitMs });
        await pause(waitMs, abort.signal);
      }
    }
  } finally {
    abort.dispose();
  }
}
