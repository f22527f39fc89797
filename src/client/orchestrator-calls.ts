import { IDEMPOTENCY_KEY_HEADER, PLATFORM_KEY_HEADER } from "../contract/orchestrator-records.ts";
import { headerValue, newIdempotencyKey, pathSegment } from "./address.ts";
import {
  type CallOptions,
  type ConnectionOptions,
  type RequestParams,
  type Retry,
  type RetryOptions,
  callJson,
  serviceOf,
} from "./http-call.ts";
import { type BySession, sessionHeaders } from "./console-client.ts";
import { HOST_LIMITS } from "./limits.ts";

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

/** How a product calls the orchestrator: reads, changes that run once, and the path of a user's engine. */
export type OrchestratorCalls = ReturnType<typeof orchestratorCalls>;

export function orchestratorCalls(options: OrchestratorClientOptions) {
  const headers =
    "session" in options
      ? sessionHeaders(options.product)
      : { [PLATFORM_KEY_HEADER]: headerValue("platformKey", options.platformKey) };
  const service = serviceOf(options, headers, HOST_LIMITS);
  return {
    service,
    get: <T>(path: string, { signal, deadlineMs }: Pick<RequestParams, "signal" | "deadlineMs"> = {}) =>
      callJson<T>(service, { method: "GET", path, signal, deadlineMs }),
    /** A change runs once, even if its response is lost and it is sent again. */
    change: <T>(
      path: string,
      body: object,
      {
        signal,
        deadlineMs = service.limits.engineDeadlineMs,
        idempotencyKey,
        ...retry
      }: ChangeOptions & RetryOptions & { readonly idempotencyKey?: string | undefined } = {},
    ) => {
      const key = headerValue("idempotencyKey", idempotencyKey ?? newIdempotencyKey());
      return callJson<T>(
        service,
        { method: "POST", path, body, headers: { [IDEMPOTENCY_KEY_HEADER]: key }, signal, deadlineMs },
        retry,
      );
    },
    engine: (userId: string, example: string): string => `/engines/${pathSegment("userId", userId, example)}`,
  };
}
