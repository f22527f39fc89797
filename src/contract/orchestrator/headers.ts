export const PLATFORM_KEY_HEADER = "X-Platform-Key";
export const ADMIN_KEY_HEADER = "X-Admin-Key";
export const REQUEST_ID_HEADER = "X-Request-Id";
export const IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";
/** The phase of a daemon that does not serve calls. With 503 the call was not executed. */
export const PHASE_HEADER = "x-orch-phase";
export const IDEMPOTENT_REPLAYED_HEADER = "Idempotent-Replayed";
