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

/** A tool server as `GET /assets/servers` lists it. */
export interface ToolServerRecord {
  readonly name: string;
  readonly transport: string;
  readonly status: string;
  readonly tools: readonly unknown[];
  readonly error?: string;
}

/** One result of `POST /memory/knowledge/search`. */
export interface KnowledgeHit {
  readonly id: string;
  readonly key: string;
  readonly content: string;
  readonly score: number;
  readonly source: string;
  readonly trust: string;
  readonly created_at: string;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
}

/** What `POST /admin/reload-catalog` loaded, and which entries it left out. */
export interface CatalogReload {
  readonly agents: number;
  readonly skills: number;
  readonly tools: number;
  readonly servers: number;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

export interface CoreSoulReload {
  readonly hash: string;
  readonly bytes: number;
}

/** What one learning batch did. */
export interface LearningBatch {
  readonly batch_id: string;
  readonly trajectories: number;
  readonly episodes: number;
  readonly knowledge_added: number;
  readonly knowledge_closed: number;
  readonly nodes: number;
  readonly skills_drafted: number;
  readonly duration_ms: number;
}
