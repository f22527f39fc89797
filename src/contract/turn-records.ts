/** A turn, as `GET /turns` lists it. */
export interface TurnRecord {
  readonly turn_id: string;
  readonly task_id: string;
  readonly state: "running" | "waiting_for_human" | "completed" | "errored";
  /** The code of one that errored. */
  readonly error: string | null;
  readonly agent: string;
  /** The text of the user's message, cut after 500 characters. */
  readonly message: string;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export interface TurnPage {
  readonly items: readonly TurnRecord[];
  readonly next_cursor: string | null;
}

/** Tokens of a request, by what they are spent on. */
export interface ContextParts {
  readonly system: number;
  readonly tools: number;
  /** Memories shown with this and earlier messages. */
  readonly recalled: number;
  /** Messages and answers of earlier turns, or what a summary left of them. */
  readonly history: number;
  /** The turn's message. */
  readonly message: number;
  /** The turn's own answers and tool results so far. */
  readonly steps: number;
  readonly attachments: number;
}

/** A model call of a turn, and what its request consisted of. */
export interface ModelRequestSummary {
  /** From 1 within the turn, in the order in which the calls ended. */
  readonly number: number;
  readonly agent: string;
  /** `summary`: a compaction's. */
  readonly purpose: "turn" | "summary";
  readonly provider: string;
  readonly model: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  /** How often the request was sent. 0: the call failed before. */
  readonly tries: number;
  readonly outcome: "completed" | "failed" | "aborted";
  /** The finish reason, or the kind of failure. */
  readonly reason: string;
  /** Null when the provider has not reported any. */
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_hit_tokens: number;
    readonly cache_write_tokens: number;
  } | null;
  /** Cached tokens by input tokens, 0 to 1. */
  readonly cache_share: number | null;
  readonly context: {
    /** They add up to `input_tokens` if the provider reported it, and are estimates otherwise. */
    readonly parts: ContextParts;
    readonly is_estimate: boolean;
    readonly answer_reserve: number;
    readonly window: number;
  };
}

export interface ModelRequests {
  readonly turn_id: string;
  /** False: the setting `ENGINE_KEEP_REQUESTS` is off. */
  readonly kept: boolean;
  readonly requests: readonly ModelRequestSummary[];
}

/** The sent request to a model, without secrets and the bytes of files. */
export interface ModelRequestRecord extends ModelRequestSummary {
  readonly turn_id: string;
  /** Null for the sandbox model, which sends nothing, and for a call that failed before it was sent. */
  readonly method: string | null;
  /** Path and query of the address. */
  readonly path: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; its first characters as text when `truncated`; null for a call that was not sent. */
  readonly body?: unknown;
  readonly body_bytes: number;
  readonly truncated: boolean;
}
