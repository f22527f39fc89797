import type { ErrorRequestHandler, Request, Response } from "express";

/** An error as a client sees it. */
interface KnownError {
  readonly status: number;
  /** Seconds, for `Retry-After`. */
  readonly retryAfterS: number | null;
}

/** Answers whatever a call threw in the interface's own form; the connection ends when an answer has begun. */
export function respondToErrors<Known extends KnownError>({
  identify,
  bodyOf,
  log,
}: {
  readonly identify: (error: unknown) => Known;
  readonly bodyOf: (known: Known) => object;
  readonly log: (known: Known, thrown: { error: unknown; request: Request; response: Response }) => void;
}): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = identify(error);
    log(known, { error, request, response });
    if (response.headersSent) return next(error);
    if (known.retryAfterS !== null) response.set("Retry-After", String(known.retryAfterS));
    response.status(known.status).json(bodyOf(known));
  };
}
