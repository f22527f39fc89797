import { PLATFORM_KEY_HEADER } from "../contract/orchestrator/headers.ts";
import { headerValue, newIdempotencyKey } from "./address.ts";
import { type CallOptions, type ConnectionOptions, type Retry, serviceOf } from "./http-call.ts";
import { type BySession, sessionHeaders } from "./console-client.ts";
import { HOST_LIMITS } from "./limits.ts";
import { type AnswerOf, type ParamsOf, type Route, callsOf } from "./route.ts";

export type OrchestratorClientOptions = ConnectionOptions &
  (
    | {
        /** As `products register` returned it. */
        readonly platformKey: string;
      }
    | (BySession & {
        /** Its id or slug. */
        readonly product: string;
      })
  );

export interface ChangeOptions extends CallOptions {
  /** Called for each failed try and each lost connection, before the wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** `limits.engineDeadlineMs` by default. */
  readonly deadlineMs?: number | undefined;
}

/** How a product calls the orchestrator: reads, changes that run once. */
export type OrchestratorCalls = ReturnType<typeof orchestratorCalls>;

export function orchestratorCalls(options: OrchestratorClientOptions) {
  const headers =
    "session" in options
      ? sessionHeaders(options.product)
      : { [PLATFORM_KEY_HEADER]: headerValue("platformKey", options.platformKey) };
  const service = serviceOf(options, headers, HOST_LIMITS);
  const { call, list } = callsOf(service);
  return {
    service,
    call,
    list,
    /** A change runs once, even if its response is lost and it is sent again. */
    change: async <Row extends Route>(
      route: Row,
      given: ParamsOf<Row> & ChangeOptions & { readonly idempotencyKey?: string | undefined },
    ): Promise<AnswerOf<Row>> => call(route, { ...given, idempotencyKey: given.idempotencyKey ?? newIdempotencyKey() }),
  };
}
