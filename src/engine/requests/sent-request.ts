import { redactValues } from "../../shared/redact-secrets.ts";

/** A request as a provider's package hands it to `fetch`. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A request as it is kept: without secrets and without the bytes of files. */
export interface StoredRequest {
  readonly method: string | null;
  readonly path: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, cut after {@link MAX_BODY_LENGTH} characters; null when nothing was sent. */
  readonly body: string | null;
  /** UTF-8 bytes of the body before it was cut. */
  readonly bodyBytes: number;
}

export const NOT_SENT: StoredRequest = { method: null, path: null, headers: {}, body: null, bodyBytes: 0 };

/** Characters of a body that are kept. */
export const MAX_BODY_LENGTH = 1024 * 1024;

/** The values of other headers may be secrets. */
const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "anthropic-beta",
  "anthropic-version",
  "content-type",
  "openai-beta",
  "traceparent",
  "user-agent",
]);
const SHOWN_PARAMETERS: ReadonlySet<string> = new Set(["alt", "api-version", "beta"]);
const HIDDEN = "(redacted)";
/** Base64 of a file. The lookbehind keeps a long text from being scanned again from each of its characters. */
const FILE_BYTES = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{2048,}={0,2}/g;

/** `secrets`: those of the engine. What has the form of a secret is redacted when the request is read. */
export function storedRequest({ method, url, headers, body }: SentRequest, secrets: readonly string[]): StoredRequest {
  return { method, path: shownPath(url, secrets), headers: shownHeaders(headers), ...storedBody(body, secrets) };
}

/** A body without the engine's secrets and the bytes of files. */
export function storedBody(body: string, secrets: readonly string[]): Pick<StoredRequest, "body" | "bodyBytes"> {
  const text = redactValues(
    body.replaceAll(FILE_BYTES, (found) => `(${Math.floor((found.length * 3) / 4)} bytes in base64)`),
    secrets,
  );
  return { body: text.slice(0, MAX_BODY_LENGTH + 1), bodyBytes: Buffer.byteLength(body) };
}

function shownPath(address: string, secrets: readonly string[]): string {
  const { pathname, searchParams } = new URL(address);
  const parameters = [...searchParams].map(([name, value]) => `${name}=${SHOWN_PARAMETERS.has(name) ? value : HIDDEN}`);
  const path = parameters.length === 0 ? pathname : `${pathname}?${parameters.join("&")}`;
  return redactValues(path, secrets);
}

const shownHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].map(([name, value]) => [name, SHOWN_HEADERS.has(name) ? value : HIDDEN]));
