/**
 * Every error code of the orchestrator, once: its HTTP status, what causes it and what a client should do.
 * The responder, the README table and the OpenAPI document are all compared with this table.
 */
export const ORCHESTRATOR_ERRORS = {
  INVALID_REQUEST: { status: 400, cause: "Malformed JSON, a missing field or an invalid value.", retry: "no" },
  INVALID_PLATFORM_KEY: { status: 401, cause: "`X-Platform-Key` missing or unknown.", retry: "no" },
  INVALID_ADMIN_KEY: { status: 401, cause: "Admin call without or with a wrong `X-Admin-Key`.", retry: "no" },
  POLICY_DENIED: {
    status: 403,
    cause: "The product is suspended, or its policy does not allow the action.",
    retry: "no",
  },
  NOT_FOUND: { status: 404, cause: "Unknown route.", retry: "no" },
  PRODUCT_NOT_FOUND: { status: 404, cause: "No product with this slug or id.", retry: "no" },
  ENGINE_NOT_FOUND: { status: 404, cause: "No engine for this `user_id`.", retry: "provision instead" },
  METHOD_NOT_ALLOWED: { status: 405, cause: "The route exists, but not with this method.", retry: "no" },
  PRODUCT_ALREADY_EXISTS: { status: 409, cause: "The slug is taken, or the product still has engines.", retry: "no" },
  ENGINE_ALREADY_EXISTS: { status: 409, cause: "Provision against an existing engine.", retry: "admit instead" },
  ENGINE_ALREADY_RUNNING: { status: 409, cause: "Start on a running engine.", retry: "no" },
  ENGINE_NOT_RUNNING: { status: 409, cause: "Stop or rotate-key on an engine that is not running.", retry: "no" },
  OPERATION_IN_PROGRESS: {
    status: 409,
    cause: "Another operation on this engine has not ended.",
    retry: "after a moment",
  },
  IDEMPOTENCY_CONFLICT: { status: 409, cause: "The `Idempotency-Key` was used with another body.", retry: "no" },
  PAYLOAD_TOO_LARGE: { status: 413, cause: "The body is larger than its route takes.", retry: "no" },
  QUOTA_EXCEEDED: { status: 429, cause: "The product is at its `max_engines`.", retry: "after destroying engines" },
  RATE_LIMITED: {
    status: 429,
    cause: "The product's requests per minute, or its calls open at once, are used up.",
    retry: "after `Retry-After`",
  },
  INTERNAL_ERROR: { status: 500, cause: "Unexpected fault; the log has it under the request id.", retry: "no" },
  BACKEND_ERROR: { status: 502, cause: "The engine's process failed or could not be started.", retry: "once" },
  PORT_EXHAUSTION: { status: 503, cause: "No free port between `ORCH_PORT_MIN` and `ORCH_PORT_MAX`.", retry: "later" },
  SERVICE_UNAVAILABLE: {
    status: 503,
    cause: "Starting or draining, the database is away, or disk, memory or files are used up.",
    retry: "after `Retry-After`",
  },
  CAPACITY_EXHAUSTED: {
    status: 503,
    cause: "The host is full, a failed boot is being backed off, or too many streams of events or logs are open.",
    retry: "after `Retry-After`",
  },
  BOOT_TIMEOUT: {
    status: 504,
    cause:
      "The engine was not healthy within `ORCH_BOOT_TIMEOUT_S`, or did not reach the state of a `wait` in its time.",
    retry: "no",
  },
} as const satisfies Record<string, { status: number; cause: string; retry: string }>;

export type OrchestratorErrorCode = keyof typeof ORCHESTRATOR_ERRORS;
