/** The engine's headers and response records. Its request schemas are in `engine-api.ts`. */
export const ENGINE_KEY_HEADER = "X-Engine-Key";
export const TURN_ID_HEADER = "X-Turn-Id";

export interface EngineHealth {
  readonly status: "ok";
  readonly engine_id: string;
  readonly incarnation: string;
  readonly version: string;
  readonly uptime_s: number;
  /** Whether the whole engine is loaded. Earlier calls wait for it. */
  readonly loaded: boolean;
  readonly active_turns: number;
  readonly pending_hitl: number;
  readonly streams: number;
  readonly core_soul_hash: string | null;
  /** Omitted until the engine is loaded. */
  readonly model?: ModelHealth;
  /** Only after the store was found damaged and replaced by an empty one. */
  readonly memory_reset?: MemoryReset;
}

export interface ModelHealth {
  /** The outcome of the last model call; `retrying` while one waits for a retry, `unknown` before the first. */
  readonly status: "unknown" | "ok" | "retrying" | "failing";
  /** Cause, address and model of the last failure. It may have recovered since. */
  readonly last_error: string | null;
  readonly last_error_at: string | null;
  readonly next_try_at: string | null;
}

export interface MemoryReset {
  readonly at: string;
  /** The path of the damaged store on the engine's host. */
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

/** A tool server in `GET /assets/servers`, without its settings. */
export interface ServerAsset {
  readonly name: string;
  readonly transport: "stdio" | "http" | "sse";
  /** `held`: connected, but some tools changed since they were first seen and must be allowed. */
  readonly status: "connecting" | "ready" | "held" | "restarting" | "failed";
  readonly tools: readonly ServerToolAsset[];
  readonly protocol_version?: string;
  /** Why it is not ready. */
  readonly error?: string;
  /** Seconds until a failed server is retried; 0 during the retry. */
  readonly next_try_in_s?: number;
  /** The last lines of standard error of a stdio server that is not ready, without the values of its `env`. */
  readonly stderr?: readonly string[];
}

export interface ServerToolAsset extends Omit<ShownDefinition, "input_schema"> {
  /** The name that the model uses. */
  readonly name: string;
  /** The server's name of the tool. */
  readonly tool: string;
  readonly permission: "allow" | "ask" | "deny";
  readonly status: "offered" | "held" | "denied" | "left_out";
  /** Why it is held or omitted. */
  readonly reason?: string;
  /** How the definition for the model differs from the server's. */
  readonly note?: string;
  /** The current definition of a held tool, and the one that was first seen or last allowed. */
  readonly held?: { readonly now: ShownDefinition; readonly was: ShownDefinition };
}

export interface ShownDefinition {
  readonly description: string;
  readonly read_only: boolean;
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** The hash of this definition, needed to allow it. */
  readonly definition: string;
}

/** One result of `POST /memory/knowledge/search`. */
export interface KnowledgeHit {
  readonly id: string;
  /** A round of a conversation, a fact, or the agent's note. */
  readonly kind: "episode" | "fact" | "note";
  /** The relevance verdict: it `answers` the query, or only `touches` its subject. */
  readonly bearing: "answers" | "touches";
  readonly key: string;
  readonly content: string;
  /** Comparable only within one search. */
  readonly score: number;
  readonly source: string;
  readonly trust: string;
  readonly created_at: string;
  /** When the described event happened. */
  readonly event_time: string;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
  /** The ids of the source episodes. */
  readonly evidence: readonly string[];
}

/** The result of a learning batch. */
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

/**
 * A remark about an entry of the catalog. `path` is below the engine's catalog folder, or `(product) …` below the
 * product's.
 */
export interface CatalogRemark {
  readonly path: string;
  /** The line in which the problem starts; omitted if it concerns the whole file. */
  readonly line?: number | undefined;
  readonly message: string;
}

/** An agent, a skill or a declared tool. */
export interface CatalogEntry {
  readonly name: string;
  readonly description: string;
}

/** The response of `GET /assets/catalog`: the catalog in use, and what a reload would change. */
export interface CatalogShown {
  readonly agents: readonly CatalogEntry[];
  readonly skills: readonly CatalogEntry[];
  readonly tools: readonly CatalogEntry[];
  /** Why a reload would be refused; empty when it would not. */
  readonly errors: readonly CatalogRemark[];
  readonly warnings: readonly CatalogRemark[];
}

/** The response of `POST /admin/reload-catalog`. A refusal has the `errors` in its `details`. */
export interface CatalogReloaded {
  readonly agents: number;
  readonly skills: number;
  readonly tools: number;
  readonly servers: number;
  readonly errors: readonly CatalogRemark[];
  /** Entries that were loaded although they may be mistakes. */
  readonly warnings: readonly CatalogRemark[];
}

/** The response of `POST /control/catalog`: null for the version without a file. */
export interface CatalogVersionUsed {
  readonly version: number | null;
}

/** The response of `POST /admin/reload-core-soul`. */
export interface CoreSoulReloaded {
  /** SHA-256 of the template, as `GET /health` shows it. */
  readonly hash: string;
  readonly bytes: number;
}
