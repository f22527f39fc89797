import { readText } from "./body.ts";
import { OrchdError } from "./orchd-error.ts";

const MAX_REFUSAL_BYTES = 1024 * 1024;
const SHOWN = 200;

/** What an answer that is no success says, in the engine's form or the orchestrator's; or that it is neither's. */
export async function refusalOf(response: Response, signal: AbortSignal): Promise<OrchdError> {
  const text = await readText(response, signal, MAX_REFUSAL_BYTES).catch((error: unknown) => {
    signal.throwIfAborted();
    // The status alone says enough.
    if (error instanceof OrchdError) return "";
    throw error;
  });
  const { code, message, details } = understand(text);
  if (code === null || response.ok) return stranger(response, text);
  return new OrchdError({
    code,
    message,
    details,
    status: response.status,
    retryAfterS: retryAfterOf(details) ?? retryAfterHeader(response.headers, Date.now()),
    requestId: response.headers.get("x-request-id"),
  });
}

/** An answer's text as the JSON object that it has to be. */
export function objectOf(text: string, response: Response): object {
  const value = jsonOf(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw stranger(response, text);
  return value;
}

/** The `retry_after` of an error's details. */
export function retryAfterOf(details: Readonly<Record<string, unknown>> | undefined): number | null {
  const seconds = details?.["retry_after"];
  return typeof seconds === "number" && seconds >= 0 ? seconds : null;
}

/** Answers of proxies, and of whatever else listens there. */
function stranger(response: Response, text: string): OrchdError {
  const { status, headers, type } = response;
  const redirect = type === "opaqueredirect" || (status >= 300 && status < 400);
  const what = redirect ? "redirects elsewhere" : `answered ${status} with ${headers.get("content-type") ?? "no type"}`;
  return new OrchdError({
    code: "BAD_ANSWER",
    message: `${response.url || "the address"} ${what}: it does not speak the interface; is the address right?`,
    status,
    details: { body: text.slice(0, SHOWN) },
    retryAfterS: retryAfterHeader(headers, Date.now()),
  });
}

function understand(text: string): {
  readonly code: string | null;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
} {
  const body = fieldsOf(jsonOf(text));
  const { error } = body;
  // The orchestrator's form has one more level than the engine's.
  const { code, message, details } = typeof error === "string" ? { ...body, code: error } : fieldsOf(error);
  return {
    code: typeof code === "string" ? code : null,
    message: typeof message === "string" ? message : "refused without a word",
    details: fieldsOf(details),
  };
}

interface Refusal {
  readonly error?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

const fieldsOf = (value: unknown): Refusal & Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A number of seconds or an HTTP date. */
function retryAfterHeader(headers: Headers, now: number): number | null {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // Date.parse takes "-5" for a year.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
