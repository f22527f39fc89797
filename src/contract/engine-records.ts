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
  /** Left out until the engine is loaded. */
  readonly model?: ModelHealth;
  /** Only of an engine whose store was found damaged: what it remembered until then is not in it. */
  readonly memory_reset?: MemoryReset;
}

export interface ModelHealth {
  /** How the last model call went; `retrying` while one waits for its next try, `unknown` before the first. */
  readonly status: "unknown" | "ok" | "retrying" | "failing";
  /** Cause, address and model of the last failure, which may be over. */
  readonly last_error: string | null;
  readonly last_error_at: string | null;
  readonly next_try_at: string | null;
}

export interface MemoryReset {
  readonly at: string;
  /** Where the damaged store lies, on the engine's host. */
  readonly old_file: string;
  readonly reason: string;
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

/** A tool server as `GET /assets/servers` tells of it: nothing of its settings but its name. */
export interface ServerAsset {
  readonly name: string;
  readonly transport: "stdio" | "http" | "sse";
  /** `held`: connected, with tools that changed since they were first seen and wait to be allowed. */
  readonly status: "connecting" | "ready" | "held" | "restarting" | "failed";
  readonly tools: readonly ServerToolAsset[];
  readonly protocol_version?: string;
  /** Why it is not ready. */
  readonly error?: string;
  /** Of one that failed or was lost: when it is tried again, 0 while it is. */
  readonly next_try_in_s?: number;
  /** Of a local one that is not ready: the last lines of its standard error, without the values of its `env`. */
  readonly stderr?: readonly string[];
}

export interface ServerToolAsset extends Omit<ShownDefinition, "input_schema"> {
  /** As the model calls it. */
  readonly name: string;
  /** The server's own name for it. */
  readonly tool: string;
  readonly permission: "allow" | "ask" | "deny";
  readonly status: "offered" | "held" | "denied" | "left_out";
  /** Why it is held or left out. */
  readonly reason?: string;
  /** What is different about it as the model is shown it. */
  readonly note?: string;
  /** Of a held one: what it is now, and what it was when it was first seen or last allowed. */
  readonly held?: { readonly now: ShownDefinition; readonly was: ShownDefinition };
}

export interface ShownDefinition {
  readonly description: string;
  readonly read_only: boolean;
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** Names exactly this definition; allowing it takes this. */
  readonly definition: string;
}

/** One result of `POST /memory/knowledge/search`. */
export interface KnowledgeHit {
  readonly id: string;
  /** A round of a conversation, a fact, or what the agent noted. */
  readonly kind: "episode" | "fact" | "note";
  /** Whether the memory seems to have the answer and this is of it, or it only speaks of what is asked about. */
  readonly bearing: "answers" | "touches";
  readonly key: string;
  readonly content: string;
  /** Orders the results of one search; nothing more can be read from it. */
  readonly score: number;
  readonly source: string;
  readonly trust: string;
  readonly created_at: string;
  /** When what it tells of happened. */
  readonly event_time: string;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
  /** The episodes it comes from. */
  readonly evidence: readonly string[];
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

/** An entry of the catalog and what is to be said of it; `path` is below the catalog's folder. */
export interface CatalogRemark {
  readonly path: string;
  readonly message: string;
}

/** What `POST /admin/reload-catalog` answers; a refusal has the `errors` in its `details`. */
export interface CatalogReloaded {
  readonly agents: number;
  readonly skills: number;
  readonly tools: number;
  readonly servers: number;
  readonly errors: readonly CatalogRemark[];
  /** What was taken although it may be a mistake. */
  readonly warnings: readonly CatalogRemark[];
}

/** What `POST /admin/reload-core-soul` answers. */
export interface CoreSoulReloaded {
  /** SHA-256 of the template, as `GET /health` shows it. */
  readonly hash: string;
  readonly bytes: number;
}
