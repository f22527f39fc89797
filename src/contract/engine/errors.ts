/**
 * Every error code of the engine, once. `status` is the HTTP status outside a stream;
 * `null` marks a code that only ever appears as the last event of a stream.
 */
export const ENGINE_ERRORS = {
  INVALID_REQUEST: { status: 400, cause: "Malformed JSON, a missing field or an invalid value." },
  INVALID_ENGINE_KEY: { status: 401, cause: "`X-Engine-Key` missing or wrong, or the console's session has ended." },
  INVALID_TOKEN: {
    status: 401,
    cause: "The token of an end user is missing, wrong, revoked or over. Only the daemon's `/me` answers so.",
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    cause:
      "The token does not permit this call: `details.scope` names what it needs. Only the daemon's `/me` answers so.",
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    cause: "The policy's `allowed_origins` does not list the page's origin. Only the daemon's `/me` answers so.",
  },
  INSUFFICIENT_ROLE: {
    status: 403,
    cause: "The role of the console's session does not allow the call. Only the daemon's gateway answers so.",
  },
  POLICY_DENIED: {
    status: 403,
    cause:
      "The product is suspended: no turn starts, no question is answered, and a sleeping engine is not woken. Or its policy does not allow the model of the turn.",
  },
  NOT_FOUND: { status: 404, cause: "Unknown route, or an unknown task, turn, tool call, agent or file." },
  HITL_NOT_FOUND: { status: 404, cause: "No human-in-the-loop request with this `request_id`." },
  METHOD_NOT_ALLOWED: { status: 405, cause: "The route exists, but not with this method." },
  TASK_BUSY: {
    status: 409,
    cause: "The task has a turn in flight, which `details.turn_id` names, or it is being rewound.",
  },
  TASK_EXISTS: { status: 409, cause: "There is a task with this `task_id`." },
  FILES_CHANGED: {
    status: 409,
    cause:
      "Something else has changed files that a rewind would restore; `details.paths` names the first of them. `force` restores them.",
  },
  FILE_EXISTS: {
    status: 409,
    cause: "There is a file or folder at the new path, or the folder to remove is not empty.",
  },
  HITL_ALREADY_ANSWERED: { status: 409, cause: "The request has another answer, or its turn has ended." },
  TOOL_ALREADY_ANSWERED: {
    status: 409,
    cause: "The call has another answer, or it waits no longer: it expired, or its turn has ended.",
  },
  SKILL_ALREADY_DECIDED: { status: 409, cause: "The skill draft was decided otherwise." },
  MESSAGE_TAKEN: { status: 409, cause: "A turn has taken the message; `details.turn_id` names it." },
  MESSAGE_REMOVED: {
    status: 409,
    cause: "The message was removed before a turn took it. Also the last event of a stream that waited for it.",
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    cause: "The `Idempotency-Key` or the `message_id` was used with another body.",
  },
  ENGINE_BUSY: { status: 409, cause: "The engine has work and cannot sleep; `details.awake` names it." },
  LC_RUNNING: { status: 409, cause: "A learning batch is running." },
  MEMORY_BUSY: { status: 409, cause: "The memory is being imported or erased." },
  PRECONDITION_FAILED: {
    status: 412,
    cause:
      "The file is not as `If-Match` or `If-None-Match` demand; `details.etag` has its `ETag`, or `null` without one.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    cause:
      "The body is larger than its route accepts, or files exceed the policy, the disk quota or what an archive may have.",
  },
  RANGE_NOT_SATISFIABLE: { status: 416, cause: "`Range` begins after the end of the file." },
  CATALOG_INVALID: { status: 422, cause: "The catalog could not be loaded; the old one stays." },
  CORE_SOUL_INVALID: { status: 422, cause: "The core soul could not be loaded; the old one stays." },
  LLM_RATE_LIMITED: {
    status: 429,
    cause:
      "The model provider limits the engine's rate. `details.retry_after` has the seconds to wait, if the provider named them.",
  },
  RATE_LIMITED: {
    status: 429,
    cause:
      "The policy's `user_requests_per_minute` are used up, or `user_concurrent_turns` run. Only the daemon's `/me` answers so.",
  },
  BUDGET_EXCEEDED: {
    status: 429,
    cause:
      "A budget of the product's policy is spent: `details.budget` names it, `details.resets_at` says until when. The task continues with a message after that.",
  },
  INBOX_FULL: { status: 429, cause: "100 messages wait in the task's inbox already." },
  TOO_MANY_READERS: {
    status: 429,
    cause: "16 readers already follow the task or all tasks. The turn continues, and replay has its events.",
  },
  INTERNAL_ERROR: { status: 500, cause: "Unexpected server fault." },
  LLM_PROVIDER_ERROR: { status: 502, cause: "The model provider returned a failure." },
  SERVICE_UNAVAILABLE: { status: 503, cause: "Too many request bodies are being received at once." },
  ENGINE_NOT_RUNNING: {
    status: 503,
    cause: "The engine is stopped or has failed. Only the daemon's gateway answers so.",
  },
  SLEEPING_BUSY: {
    status: 503,
    cause: "The engine sleeps and the host cannot wake it now. Repeat the call after the seconds of `Retry-After`.",
  },
  ENGINE_DRAINING: { status: 503, cause: "The engine finishes its turns and accepts no new ones." },
  CANCELLED: { status: null, cause: "The turn was cancelled by a call, or its client disconnected." },
  CHANNEL_EXPIRED: { status: null, cause: "The turn made no progress for 900 s." },
  STEP_LIMIT: { status: null, cause: "The turn reached its limit of model calls." },
  LOOP_DETECTED: { status: null, cause: "The model made the same tool call five times and got the same result." },
  OUTPUT_INVALID: {
    status: null,
    cause: "The model gave no result that matches the output schema, after two repairs. Its texts are kept.",
  },
  COMPACTION_FAILED: { status: null, cause: "The conversation could not be compacted enough for the context window." },
  ENGINE_RESTARTED: { status: null, cause: "The engine restarted during the turn and could not continue it." },
} as const satisfies Record<string, { status: number | null; cause: string }>;

export type EngineErrorCode = keyof typeof ENGINE_ERRORS;
