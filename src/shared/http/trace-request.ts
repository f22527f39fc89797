import type { Request, RequestHandler, Response } from "express";
import { NO_SPAN, type Span, type Tracer } from "../tracing/span.ts";

/** The span of a request, and the trace context that its caller sent. */
interface RequestTrace {
  readonly span: Span;
  readonly caller?: string | undefined;
  readonly state?: string | undefined;
}

interface TracedRoute {
  readonly method: string;
  readonly path: string;
}

/** Starts the span of a request. It contains no address, query or ids. A stream's span ends with the stream. */
export function startRequestTrace(
  tracer: Tracer,
  { method, path }: TracedRoute,
  { request, response }: { readonly request: Request; readonly response: Response },
): RequestTrace {
  const parent = tracer.remote({
    traceparent: request.get("traceparent"),
    tracestate: request.get("tracestate"),
  });
  const span = tracer.start(`${method} ${path}`, {
    kind: "server",
    parent,
    attributes: { "http.request.method": method, "http.route": path },
  });
  response.once("close", () => {
    const { statusCode } = response;
    span.set({ "http.response.status_code": statusCode });
    span.end(statusCode >= 500 ? String(statusCode) : null);
  });
  return { span, caller: parent.traceparent, state: parent.tracestate };
}

/** Traces the requests of a route. */
export function traceRequests(tracer: Tracer, route: TracedRoute): RequestHandler {
  return (request, response, next) => {
    response.locals["trace"] = startRequestTrace(tracer, route, { request, response });
    next();
  };
}

/** The trace that {@link traceRequests} started for a request; no span for other requests. */
export const traceOf = (response: Response): RequestTrace =>
  (response.locals["trace"] as RequestTrace | undefined) ?? { span: NO_SPAN };
