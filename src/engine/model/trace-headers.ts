import type { ModelFamily } from "./model-family.ts";
import type { ModelRequest } from "./model-provider.ts";

/**
 * A family whose requests carry `traceparent` and `tracestate`, for a model server of the operator, which may join the
 * trace. Public providers do not get them.
 */
export const withTraceHeaders = (family: ModelFamily): ModelFamily => ({
  ...family,
  adapt: (options, request) => family.adapt({ ...options, ...traceHeaders(request) }, request),
});

function traceHeaders({ scope }: ModelRequest) {
  const { traceparent, tracestate } = scope?.span ?? {};
  return traceparent === undefined ? {} : { headers: { traceparent, ...(tracestate !== undefined && { tracestate }) } };
}
