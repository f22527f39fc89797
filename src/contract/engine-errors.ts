/**
 * Every error code of the engine, once. `status` is the HTTP status outside a stream;
 * `null` marks a code that only ever appears as the last event of a stream.
 */
export const ENGINE_ERRORS = {
  INVALID_REQUEST: { status: 400, cause: "Malformed JSON, a missing field or an invalid value." },
  INVALID_ENGINE_KEY: { status: 401, cause: "`X-Engine-Key` missing or wrong." },
  NOT_FOUND: { status: 404, cause: "Unknown route, or an unknown task, turn or agent." },
  HITL_NOT_FOUND: { status: 404, cause: "No human-in-the-loop request with this `request_id`." },
  METHOD_NOT_ALLOWED: { status: 405, cause: "The route exists, but not with this method." },
  TASK_BUSY: { status: 409, cause: "The task has a turn in flight; `details.turn_id` names it." },
  HITL_ALREADY_ANSWERED: { status: 409, cause: "The request was answered otherwise, or its turn has ended." },
  IDEMPOTENCY_CONFLICT: { status: 409, cause: "The `Idempotency-Key` was used with another body." },
  LC_RUNNING: { status: 409, cause: "A learning batch is running." },
  MEMORY_BUSY: { status: 409, cause: "The memory is being imported or erased." },
  PAYLOAD_TOO_LARGE: { status: 413, cause: "The body is larger than its route takes." },
  CATALOG_INVALID: { status: 422, cause: "The catalog could not be loaded; the old one stays." },
  CORE_SOUL_INVALID: { status: 422, cause: "The core soul could not be loaded; the old one stays." },
  LLM_RATE_LIMITED: {
    status: 429,
    cause: "The model provider rate-limited the engine; `details.retry_after` in seconds when it said so.",
  },
  TOO_MANY_READERS: {
    status: 429,
    cause: "16 readers follow the task's turn, or all tasks, already; the turn goes on, and replay has its events.",
  },
  INTERNAL_ERROR: { status: 500, cause: "Unexpected fault." },
  LLM_PROVIDER_ERROR: { status: 502, cause: "The model provider returned a failure." },
  SERVICE_UNAVAILABLE: { status: 503, cause: "Too many request bodies are being received at once." },
  ENGINE_DRAINING: { status: 503, cause: "The engine is finishing its turns and takes no new ones." },
  CANCELLED: { status: null, cause: "The turn was cancelled by a call or by a client that left." },
  CHANNEL_EXPIRED: { status: null, cause: "The turn made no progress for 900 s." },
  STEP_LIMIT: { status: null, cause: "The turn reached its limit of model calls." },
  LOOP_DETECTED: { status: null, cause: "Five answers of the model made the same tool call and got the same result." },
  COMPACTION_FAILED: { status: null, cause: "The context could not be made small enough." },
  ENGINE_RESTARTED: { status: null, cause: "The engine restarted during the turn and could not go on with it." },
} as const satisfies Record<string, { status: number | null; cause: string }>;

export type EngineErrorCode = keyof typeof ENGINE_ERRORS;
