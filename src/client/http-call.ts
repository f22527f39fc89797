import { chunksOf, readText, unreachable } from "./body.ts";
import type { ClientLimits } from "./limits.ts";
import { OrchdError } from "./orchd-error.ts";
import { objectOf, refusalOf } from "./read-answer.ts";
import { retryWait } from "./retry-rule.ts";
import { LinkedAbort, pause } from "./waiting.ts";

/** Where calls go, and with what. */
export interface Service {
  readonly url: string;
  /** The key's header. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly limits: ClientLimits;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Retry {
  /** A call is made again, a turn begun anew, or a stream that broke off taken up where it was. */
  readonly kind: "call" | "turn" | "stream";
  readonly error: OrchdError;
  /** How many have failed; of a stream, since something new came. */
  readonly tries: number;
  readonly waitMs: number;
}

export interface Wish {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** In the place of `body`: what is sent as it is. */
  readonly upload?: { readonly content: Blob | string | ReadableStream<Uint8Array>; readonly type: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
}

/** Whether a call that may have been done already is tried again; left out, it is. */
export interface RetryOptions {
  readonly repeatable?: boolean;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** One call, answered by a JSON object, and tried again as its refusals allow. */
export function ask<T>(service: Service, wish: Wish, retry: RetryOptions = {}): Promise<T> {
  return persistently(service, { ...retry, signal: wish.signal }, () => askOnce<T>(service, wish));
}

async function askOnce<T>(service: Service, wish: Wish): Promise<T> {
  const leash = deadlined(service, wish);
  try {
    const response = await send(service, { ...wish, signal: leash.signal }, "application/json");
    return objectOf(await readText(response, leash.signal), response) as T;
  } finally {
    leash.dispose();
  }
}

/** An open stream. Whoever reads it to its end or leaves it closes it. */
export interface OpenStream {
  readonly headers: Headers;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Opens a stream, of events or of another type, once: `silenceMs` without a byte ends it with an error. */
export async function openStream(
  service: Service,
  wish: Wish & { readonly signal: AbortSignal },
  wanted = "text/event-stream",
): Promise<OpenStream> {
  const leash = deadlined(service, wish);
  try {
    const response = await send(service, { ...wish, signal: leash.signal }, wanted);
    const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
    if (type.trim().toLowerCase() !== wanted) throw await refusalOf(response, leash.signal);
    const { silenceMs } = service.limits;
    return { headers: response.headers, chunks: chunksOf(response, { silenceMs, signal: wish.signal }) };
  } finally {
    leash.dispose();
  }
}

/** The caller's signal and the call's deadline in one. */
const deadlined = ({ limits, url }: Service, { signal, deadlineMs = limits.deadlineMs }: Wish): LinkedAbort =>
  new LinkedAbort(signal, {
    ms: deadlineMs,
    reason: () => new OrchdError({ code: "TIMEOUT", message: `${url} did not answer within ${deadlineMs / 1000} s` }),
  });

/** The answer's beginning; what is no success is thrown. */
async function send(
  { url, headers, fetch }: Service,
  { method, path, body, upload, headers: more, signal }: Wish & { readonly signal: AbortSignal },
  accept: string,
): Promise<Response> {
  const sent = upload ?? (body === undefined ? null : { content: JSON.stringify(body), type: "application/json" });
  let response: Response;
  try {
    response = await fetch(url + path, {
      method,
      headers: { accept, ...(sent !== null && { "content-type": sent.type }), ...headers, ...more },
      ...(sent !== null && { body: sent.content }),
      // What is sent while it is still being made needs to be announced.
      ...(sent !== null && isStream(sent.content) && { duplex: "half" }),
      // Where it leads to, the key has not been given to.
      redirect: "manual",
      cache: "no-store",
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(url, error);
  }
  if (!response.ok) throw await refusalOf(response, signal);
  return response;
}

/** Read as it is sent, and only once. */
export const isStream = (content: object | string): boolean => typeof content === "object" && "getReader" in content;

/** Tries until it succeeds, or the rule for its error says that there is no other try. */
export async function persistently<T>(
  { limits }: Pick<Service, "limits">,
  { signal, repeatable = true, onRetry }: RetryOptions & { readonly signal?: AbortSignal | undefined },
  attempt: () => Promise<T>,
): Promise<T> {
  const leash = new LinkedAbort(signal);
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof OrchdError)) throw error;
        const waitMs = retryWait(error, { tries, repeatable, limits, random: Math.random() });
        if (waitMs === null) throw error;
        onRetry?.({ kind: "call", error, tries, waitMs });
        await pause(waitMs, leash.signal);
      }
    }
  } finally {
    leash.dispose();
  }
}
