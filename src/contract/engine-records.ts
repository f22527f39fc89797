/** The engine's words on the wire, apart from its events: what clients need, without the checks of what they send. */
export const ENGINE_KEY_HEADER = "X-Engine-Key";
export const TURN_ID_HEADER = "X-Turn-Id";

export interface EngineHealth {
  readonly status: "ok";
  readonly engine_id: string;
  readonly incarnation: string;
  readonly version: string;
  readonly uptime_s: number;
  readonly active_turns: number;
  readonly pending_hitl: number;
  readonly streams: number;
  readonly core_soul_hash: string | null;
}

/** One pending question to a human, as `GET /hitl/pending` lists it. */
export interface PendingRequest {
  readonly request_id: string;
  readonly kind: "question" | "permission";
  readonly question: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly options: readonly string[];
  readonly task_id: string;
  readonly turn_id: string;
  readonly created_at: string;
}

export interface ReplayPage {
  readonly events: readonly { readonly event: string; readonly data: Readonly<Record<string, unknown>> }[];
  /** The cursor for the next call: the last event's `ts`, or the given `after`. */
  readonly next_after: string | null;
  /** True when events after the cursor have already been dropped. */
  readonly truncated: boolean;
  readonly oldest_ts: string | null;
}

export interface EngineErrorBody {
  readonly error: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
