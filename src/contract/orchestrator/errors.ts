/**
 * Every error code of the orchestrator, once: its HTTP status, what causes it and what a client should do.
 * The responder and the OpenAPI document use this table; a test compares docs/orchestrator-api.md with it.
 */
export const ORCHESTRATOR_ERRORS = {
  INVALID_REQUEST: { status: 400, cause: "Malformed JSON, a missing field or an invalid value.", retry: "no" },
  INVALID_PLATFORM_KEY: { status: 401, cause: "`X-Platform-Key` missing or unknown.", retry: "no" },
  INVALID_ADMIN_KEY: { status: 401, cause: "Admin call without or with a wrong `X-Admin-Key`.", retry: "no" },
  INVALID_SIGNATURE: {
    status: 401,
    cause: "Unknown webhook, or a wrong signature, timestamp or id of its message.",
    retry: "no",
  },
  INVALID_SESSION: { status: 401, cause: "The session of the cookie is unknown or has ended.", retry: "no" },
  INVALID_LINK: { status: 401, cause: "A one-time link that is unknown, used, or older than a minute.", retry: "no" },
  INSUFFICIENT_ROLE: { status: 403, cause: "The role of the session does not allow the call.", retry: "no" },
  POLICY_DENIED: {
    status: 403,
    cause: "The product is suspended or being deleted, or its policy does not allow the action.",
    retry: "no",
  },
  NOT_FOUND: { status: 404, cause: "Unknown route.", retry: "no" },
  PRODUCT_NOT_FOUND: { status: 404, cause: "No product with this slug or id.", retry: "no" },
  ENGINE_NOT_FOUND: { status: 404, cause: "No engine for this `user_id`.", retry: "provision instead" },
  PLAN_NOT_FOUND: { status: 404, cause: "The product has no plan with this name.", retry: "no" },
  SESSION_NOT_FOUND: { status: 404, cause: "No open session with this id.", retry: "no" },
  QUESTION_NOT_FOUND: { status: 404, cause: "The engine never had a question with this id.", retry: "no" },
  SCHEDULE_NOT_FOUND: { status: 404, cause: "The engine has no schedule with this id.", retry: "no" },
  CONNECTION_NOT_FOUND: {
    status: 404,
    cause:
      "The user is not signed in to a tool server of this name; for a new login: the catalog has none with `login`.",
    retry: "no",
  },
  ENDPOINT_NOT_FOUND: { status: 404, cause: "The product has no notification endpoint with this id.", retry: "no" },
  SECRET_NOT_FOUND: { status: 404, cause: "The product or the user has no secret with this name.", retry: "no" },
  WEBHOOK_NOT_FOUND: { status: 404, cause: "The engine has no webhook with this id.", retry: "no" },
  CATALOG_VERSION_NOT_FOUND: {
    status: 404,
    cause: "The product's catalog has no such version, or it is no longer stored.",
    retry: "no",
  },
  KNOWLEDGE_DOCUMENT_NOT_FOUND: {
    status: 404,
    cause: "The product's knowledge has no document with this path.",
    retry: "no",
  },
  METHOD_NOT_ALLOWED: { status: 405, cause: "The route exists, but not with this method.", retry: "no" },
  PRODUCT_ALREADY_EXISTS: { status: 409, cause: "The slug is taken, or the product still has engines.", retry: "no" },
  PLAN_IN_USE: {
    status: 409,
    cause: "Engines have the plan that is to be deleted; `replace_by` gives them another one.",
    retry: "with `replace_by`",
  },
  ENGINE_ALREADY_EXISTS: { status: 409, cause: "Provision against an existing engine.", retry: "admit instead" },
  ENGINE_ALREADY_RUNNING: { status: 409, cause: "Start on a running engine.", retry: "no" },
  ENGINE_NOT_RUNNING: { status: 409, cause: "Stop or rotate-key on an engine that is not running.", retry: "no" },
  QUESTION_ANSWERED: { status: 409, cause: "The question has another answer, or its turn has ended.", retry: "no" },
  ENGINE_BUSY: {
    status: 409,
    cause: "Sleep on an engine that has work, or on a host that cannot hold its address, without `ORCH_PUBLIC_URL`.",
    retry: "when it is idle",
  },
  OPERATION_IN_PROGRESS: {
    status: 409,
    cause: "Another operation on this engine is running.",
    retry: "after a moment",
  },
  IDEMPOTENCY_CONFLICT: { status: 409, cause: "The `Idempotency-Key` was used with another body.", retry: "no" },
  CATALOG_CHANGED: {
    status: 412,
    cause: "`If-Match` names another version than the catalog's current one.",
    retry: "after reading the current version",
  },
  PAYLOAD_TOO_LARGE: { status: 413, cause: "The body is larger than its route accepts.", retry: "no" },
  CATALOG_INVALID: {
    status: 422,
    cause: "The archive is no valid catalog. `details.errors` has each fault with path and line.",
    retry: "no",
  },
  KNOWLEDGE_DOCUMENT_INVALID: {
    status: 422,
    cause: "The document cannot be read: `message` says why, such as a damaged PDF file or one without text.",
    retry: "no",
  },
  QUOTA_EXCEEDED: {
    status: 429,
    cause: "The product is at its `max_engines`, or at the limits of its [knowledge](knowledge.md#limits).",
    retry: "after destroying engines or deleting documents",
  },
  RATE_LIMITED: {
    status: 429,
    cause:
      "The product is at its limit of requests per minute or of open calls, or sign-ins of this address failed too often.",
    retry: "after `Retry-After`",
  },
  INTERNAL_ERROR: { status: 500, cause: "Unexpected server fault. The log has it under the request id.", retry: "no" },
  BACKEND_ERROR: { status: 502, cause: "The engine's process failed or could not be started.", retry: "once" },
  LEADER_LOST: {
    status: 502,
    cause: "The leader ended while it handled the call, which may have run.",
    retry: "with an `Idempotency-Key`, or after a look",
  },
  PORT_EXHAUSTION: { status: 503, cause: "No free port between `ORCH_PORT_MIN` and `ORCH_PORT_MAX`.", retry: "later" },
  SERVICE_UNAVAILABLE: {
    status: 503,
    cause:
      "The daemon is starting or draining, cannot reach its database, or has no disk space, memory or file descriptors left.",
    retry: "after `Retry-After`",
  },
  CAPACITY_EXHAUSTED: {
    status: 503,
    cause:
      "The host is full or carries as many engines awake as it can, a failed boot delays the next one, or too many event or log streams are open.",
    retry: "after `Retry-After`",
  },
  BOOT_TIMEOUT: {
    status: 504,
    cause: "The engine was not healthy within `ORCH_BOOT_TIMEOUT_S`, or a `wait` reached its `timeout_s`.",
    retry: "no",
  },
} as const satisfies Record<string, { status: number; cause: string; retry: string }>;

export type OrchestratorErrorCode = keyof typeof ORCHESTRATOR_ERRORS;
