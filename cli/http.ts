import { type IncomingMessage, request as httpRequest, validateHeaderValue } from "node:http";
import { request as httpsRequest } from "node:https";
import { boundedText } from "./bounded-text.ts";
import { CliFailure } from "./exit-codes.ts";

export interface HttpCall {
  readonly method: string;
  /** Sent as it is: nothing normalises a user_id like `..` away. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Until the headers of the answer. */
  readonly deadlineMs: number;
  /** How long the answer may pause; a stream that may be silent for ever has none. */
  readonly idleMs?: number | undefined;
}

/** Node takes a longer one for none at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Opens a call and gives the answer's beginning. A server that is not there is told in words. */
export async function openCall(
  base: string,
  { method, path, headers, body, deadlineMs, idleMs }: HttpCall,
): Promise<IncomingMessage> {
  const url = readUrl(base);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = send({
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port,
    path: url.pathname.replace(/\/$/, "") + path,
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...checked(headers) },
  });
  const late = new CliFailure("timeout", `${base} did not answer within ${deadlineMs / 1000} s`);
  const timer = setTimeout(() => request.destroy(late), Math.min(deadlineMs, LONGEST_TIMER_MS));
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on("response", resolve);
      request.on("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
    if (idleMs !== undefined) response.setTimeout(idleMs, () => response.destroy(new ConnectionIdle(base, idleMs)));
    return response;
  } catch (error) {
    throw error instanceof CliFailure ? error : unreachable(base, error);
  } finally {
    clearTimeout(timer);
  }
}

/** A stream fell silent for longer than its heartbeats allow. */
class ConnectionIdle extends Error {
  readonly code = "ETIMEDOUT";
  constructor(base: string, idleMs: number) {
    super(`nothing came from ${base} for ${idleMs / 1000} s`);
  }
}

/** Every answer that is no stream is far below it. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The whole answer as text, up to a bound; one that is cut off is a failure of the server, not of ours. */
export async function readText(response: IncomingMessage): Promise<string> {
  let answer: string | null;
  try {
    answer = await boundedText(response, MAX_ANSWER_BYTES);
  } catch (error) {
    throw new CliFailure("unavailable", `the connection was lost in the middle of the answer (${reason(error)})`);
  }
  if (answer === null) throw new CliFailure("unexpected", "the answer is longer than 64 MiB");
  return answer;
}

function readUrl(base: string): URL {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    throw new CliFailure("usage", `the address of orchd: expected http://… or https://…, got ${JSON.stringify(base)}`);
  }
  return new URL(base);
}

/** Node would refuse as well, in words that nobody connects with a file that is no key. */
function checked(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderValue(name, value);
    } catch (error) {
      throw new CliFailure("usage", `${name}: what was given holds characters that no key has (${reason(error)})`);
    }
  }
  return headers;
}

function unreachable(base: string, error: unknown): CliFailure {
  return new CliFailure(
    "unavailable",
    `${base} does not answer (${reason(error)}); is it running? (npm start, or systemctl status orchd)`,
  );
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? String(error.code) : error.message;
}

/** Percent-encodes one segment so that no server and no proxy takes it for more than it is. */
export function pathSegment(text: string): string {
  if (text === "") throw new CliFailure("usage", "expected an id, got an empty one");
  if (!text.isWellFormed()) throw new CliFailure("usage", "expected an id in UTF-8");
  const encoded = encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return /^\.+$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded;
}

export const enginePath = (user: string): string => `/engines/${pathSegment(user)}`;

/** What has a code is the connection's failure, which another connection may mend; anything else is not. */
export const isCut = (error: unknown): error is Error & { readonly code: unknown } =>
  error instanceof Error && !(error instanceof CliFailure) && "code" in error;
