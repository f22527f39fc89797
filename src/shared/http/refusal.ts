import type { RequestHandler, ErrorRequestHandler, Request, Response } from "express";
import { InvalidInput } from "../parse.ts";

/** An error that both interfaces report with the same code, each in its own format. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: "INVALID_REQUEST" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "PAYLOAD_TOO_LARGE" | "SERVICE_UNAVAILABLE";
  /** Seconds, for `Retry-After`. */
  readonly retryAfterS: number | null;

  constructor(code: Refusal["code"], message: string, retryAfterS: number | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

/** An error of the shared helpers or of Express as a {@link Refusal}. Null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof InvalidInput) return new Refusal("INVALID_REQUEST", error.message, null, error);
  if (error instanceof URIError)
    return new Refusal("INVALID_REQUEST", "path: expected percent-encoded UTF-8", null, error);
  return null;
}

export const NO_SUCH_ROUTE = "no such route; GET /docs lists the routes";

/** After all routes: 405 for a known path with another method, else 404. */
export function refuseUnknownRoute(methodsOf: (path: string) => readonly string[]): RequestHandler {
  return (request, response) => {
    const methods = methodsOf(request.path);
    if (methods.length === 0 || methods.includes(request.method)) throw new Refusal("NOT_FOUND", NO_SUCH_ROUTE);
    response.set("Allow", methods.join(", "));
    throw new Refusal("METHOD_NOT_ALLOWED", `expected ${methods.join(" or ")}`);
  };
}

/** An error as a client sees it. */
interface KnownError {
  readonly status: number;
  /** Seconds, for `Retry-After`. */
  readonly retryAfterS: number | null;
}

/** Responds to an error in the interface's format. After the response has begun, it closes the connection. */
export function respondToErrors<Known extends KnownError>({
  identify,
  bodyOf,
  log,
}: {
  readonly identify: (error: unknown) => Known;
  readonly bodyOf: (known: Known, request: Request) => object;
  readonly log: (known: Known, thrown: { error: unknown; request: Request; response: Response }) => void;
}): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = identify(error);
    log(known, { error, request, response });
    if (response.headersSent) return next(error);
    if (known.retryAfterS !== null) response.set("Retry-After", String(known.retryAfterS));
    response.status(known.status).json(bodyOf(known, request));
  };
}
