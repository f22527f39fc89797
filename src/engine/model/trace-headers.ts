import type { ModelFamily } from "./model-family.ts";
import type { ModelRequest } from "./model-provider.ts";

/**
 * A family whose requests carry the trace context of their call. For a server of the operator's, which may join the
 * trace; a provider at its own address has no use for it.
 */
export const withTraceHeaders = (family: ModelFamily): ModelFamily => ({
  ...family,
  adapt: (options, request) => family.adapt({ ...options, ...traceHeaders(request) }, request),
});

function traceHeaders({ scope }: ModelRequest) {
  const { traceparent, tracestate } = scope?.span ?? {};
  return traceparent === undefined ? {} : { headers: { traceparent, ...(tracestate !== undefined && { tracestate }) } };
}
