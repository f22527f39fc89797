import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // Tests look into whatever came back; a wrong shape fails the comparison.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string or buffer as it is. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** One HTTP call by the raw path below `base`: nothing is normalised, so that `..` and `%2F` arrive as written. */
export function ask(
  base: string,
  path: string,
  { method = "GET", headers = {}, body, signal }: Ask = {},
): Promise<Answer> {
  const { hostname, port, pathname } = new URL(base);
  const raw = typeof body === "string" || Buffer.isBuffer(body) || body === undefined;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        path: pathname.replace(/\/$/, "") + path,
        method,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(signal && { signal }),
      },
      (response) => {
        text(response).then((answer) => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed(answer), text: answer });
        }, reject);
      },
    );
    request.on("error", reject);
    request.end(raw ? body : JSON.stringify(body));
  });
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}
