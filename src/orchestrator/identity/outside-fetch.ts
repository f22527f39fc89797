import type { CustomFetch } from "openid-client";
import { callOutside } from "../outbound/call-outside.ts";
import { SignInFailure } from "./sign-in-failure.ts";

/** As the library takes it. */
export type OutsideFetch = CustomFetch;

/** An ID token with 10,000 groups has 0.6 MB. */
const MAX_ANSWER_BYTES = 2 * 1024 ** 2;

interface OutsideFetchOptions {
  readonly timeoutMs: number;
  /** Why an address is not called, or null. */
  readonly problem: (url: string) => string | null;
  /** The private hosts that may be called for an address. */
  readonly privateHosts: (url: string) => readonly string[];
}

/** `fetch` of a server for sign-ins, through `callOutside`. Anything but an answer is a failure that names the host. */
export const outsideFetch =
  ({ timeoutMs, problem, privateHosts }: OutsideFetchOptions): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const refusal = problem(url);
    const host = URL.parse(url)?.host ?? "an address";
    if (refusal !== null) throw new SignInFailure("untrusted", `${host}: ${refusal}`);
    const answer = await callOutside({
      url,
      method: method === "POST" ? "POST" : "GET",
      headers,
      ...(body !== undefined && body !== null && { body: Buffer.from(textOf(body)) }),
      privateHosts: privateHosts(url),
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(signal !== undefined && { signal }),
    });
    if (answer.kind !== "answered") throw new SignInFailure("unreachable", `${host}: ${answer.reason}`);
    if (!answer.isWhole)
      throw new SignInFailure("untrusted", `${host}: an answer of more than ${MAX_ANSWER_BYTES} bytes`);
    return responseOf(host, answer);
  };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An answer as the library takes it. That of a server that does not work is a failure. */
export function responseOf(
  host: string,
  { status, headers, body }: { readonly status: number; readonly headers: Headers; readonly body: Buffer },
): Response {
  if (status >= 500 || status < 200) throw new SignInFailure("unreachable", `${host}: status ${status}`);
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: headersOf(headers) });
}

/** The client sends forms, and JSON as text. */
export function textOf(body: unknown): string {
  if (typeof body === "string" || body instanceof URLSearchParams) return body.toString();
  throw new TypeError("expected a form");
}

const headersOf = (headers: Headers): [string, string][] =>
  Object.entries(headers).flatMap(([name, value = []]) => [value].flat().map((one): [string, string] => [name, one]));
