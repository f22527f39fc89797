import type { RequestHandler, Response } from "express";
import { NO_SPAN, type Span, type Tracer } from "../../shared/tracing/span.ts";

/** The span of a request, and the trace context that its caller sent. */
export interface RequestTrace {
  readonly span: Span;
  readonly caller?: string | undefined;
  readonly state?: string | undefined;
}

/** Makes a span of each request of a route. A stream's span ends with the stream. */
export function traceRequests(tracer: Tracer, { method, path }: { method: string; path: string }): RequestHandler {
  return (request, response, next) => {
    const { traceparent: caller, tracestate: state } = tracer.remote({
      traceparent: request.get("traceparent"),
      tracestate: request.get("tracestate"),
    });
    const span = tracer.start(`${method} ${path}`, {
      kind: "server",
      parent: tracer.remote({ traceparent: caller, tracestate: state }),
      attributes: { "http.request.method": method, "http.route": path },
    });
    response.locals["trace"] = { span, caller, state } satisfies RequestTrace;
    response.once("close", () => {
      const { statusCode } = response;
      span.set({ "http.response.status_code": statusCode });
      span.end(statusCode >= 500 ? String(statusCode) : null);
    });
    next();
  };
}

/** Without tracing, no span. */
export const traceOf = (response: Response): RequestTrace =>
  (response.locals["trace"] as RequestTrace | undefined) ?? { span: NO_SPAN };
