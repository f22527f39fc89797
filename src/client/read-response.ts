import { OrchdError } from "./orchd-error.ts";
import { readText } from "./read-body.ts";

const MAX_ERROR_BYTES = 1024 * 1024;
/** Characters of an unrecognized body that the error carries. */
const MAX_BODY_SHOWN = 200;

/** The error of a response without success, in the engine's or the orchestrator's form, or `BAD_ANSWER`. */
export async function readError(response: Response, signal: AbortSignal): Promise<OrchdError> {
  const text = await readText(response, signal, MAX_ERROR_BYTES).catch((error: unknown) => {
    signal.throwIfAborted();
    // The status alone makes an error.
    if (error instanceof OrchdError) return "";
    throw error;
  });
  const { code, message, details } = parseError(text);
  if (code === null || response.ok) return invalidResponse(response, text);
  return new OrchdError({
    code,
    message,
    details,
    status: response.status,
    retryAfterS: retryAfterOf(details) ?? retryAfterHeader(response.headers, Date.now()),
    requestId: response.headers.get("x-request-id"),
  });
}

/** A response's text as a JSON object; anything else is `BAD_ANSWER`. */
export function parseObject(text: string, response: Response): object {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalidResponse(response, text);
  return value;
}

/** The `retry_after` of an error's details. */
export function retryAfterOf(details: Readonly<Record<string, unknown>> | undefined): number | null {
  const seconds = details?.["retry_after"];
  return typeof seconds === "number" && seconds >= 0 ? seconds : null;
}

/** For responses of proxies and of other programs that listen at the address. */
function invalidResponse(response: Response, text: string): OrchdError {
  const { status, headers, type } = response;
  const isRedirect = type === "opaqueredirect" || (status >= 300 && status < 400);
  const what = isRedirect ? "a redirect" : `${status} with content type ${headers.get("content-type") ?? "(none)"}`;
  return new OrchdError({
    code: "BAD_ANSWER",
    message: `${response.url || "the address"} answered ${what}, which is not an answer of orchd; check the address`,
    status,
    details: { body: text.slice(0, MAX_BODY_SHOWN) },
    retryAfterS: retryAfterHeader(headers, Date.now()),
  });
}

function parseError(text: string): {
  readonly code: string | null;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
} {
  const body = fieldsOf(parseJson(text));
  const { error } = body;
  // The orchestrator's form has one more level than the engine's.
  const { code, message, details } = typeof error === "string" ? { ...body, code: error } : fieldsOf(error);
  return {
    code: typeof code === "string" ? code : null,
    message: typeof message === "string" ? message : "refused without a message",
    details: fieldsOf(details),
  };
}

interface ErrorFields {
  readonly error?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

const fieldsOf = (value: unknown): ErrorFields & Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` is a number of seconds or an HTTP date. */
function retryAfterHeader(headers: Headers, now: number): number | null {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // Date.parse reads "-5" as a year.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
