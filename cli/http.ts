import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { CliFailure } from "./exit-codes.ts";

export interface HttpCall {
  readonly method: string;
  /** Sent as it is: nothing normalises a user_id like `..` away. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Until the headers of the answer; a stream may take as long as it takes. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Opens a call and gives the answer's beginning. A server that is not there is told in words. */
export function openCall(
  base: string,
  { method, path, headers, body, deadlineMs, signal }: HttpCall,
): Promise<IncomingMessage> {
  const url = readUrl(base);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      {
        hostname: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port,
        path: url.pathname.replace(/\/$/, "") + path,
        method,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(signal && { signal }),
      },
      (response) => {
        clearTimeout(late);
        resolve(response);
      },
    );
    const late = setTimeout(
      () => request.destroy(new CliFailure("timeout", `${base} did not answer within ${deadlineMs / 1000} s`)),
      deadlineMs,
    );
    request.on("error", (error) => {
      clearTimeout(late);
      reject(signal?.aborted || error instanceof CliFailure ? error : unreachable(base, error));
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function readUrl(base: string): URL {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    throw new CliFailure("usage", `ORCH_URL: expected http://… or https://…, got ${JSON.stringify(base)}`);
  }
  return new URL(base);
}

function unreachable(base: string, error: Error): CliFailure {
  const code = "code" in error ? String(error.code) : error.message;
  return new CliFailure(
    "unavailable",
    `${base} does not answer (${code}); is it running? (npm start, or systemctl status orchd)`,
  );
}

/** Percent-encodes one segment so that no server and no proxy takes it for more than it is. */
export function pathSegment(text: string): string {
  const encoded = encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return /^\.+$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded;
}
