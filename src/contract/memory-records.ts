/** Memory records of the engine's API. Times are ISO 8601 UTC. `trust` is the least trusted source of a record. */
export type TrustLabel = "external" | "model" | "internal" | "user";

export const MEMORY_LISTS = ["episodes", "knowledge", "social", "working", "trajectories"] as const;
export type MemoryList = (typeof MEMORY_LISTS)[number];

/** Newest first. `next_cursor` gets the older records and is null at the end. */
export interface MemoryPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** A round of a conversation: a question and its answer. */
export interface EpisodeRecord {
  readonly id: string;
  readonly key: string;
  readonly description: string;
  readonly created_at: string;
  readonly task_id: string;
  readonly turn_id: string;
  readonly question: string;
  readonly answer: string;
  /** 1 to 10. */
  readonly importance: number;
  readonly source: string;
  readonly trust: TrustLabel;
  readonly event_time: string;
}

/** A fact with its validity and the time span in which the engine believed it. */
export interface KnowledgeRecord {
  readonly id: string;
  readonly content: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly importance: number;
  /** 0 to 1. */
  readonly confidence: number;
  readonly source: string;
  readonly trust: TrustLabel;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
  readonly created_at: string;
  readonly invalidated_at: string | null;
  /** The id of the fact that replaced it. */
  readonly superseded_by: string | null;
  /** The ids of the source episodes. */
  readonly evidence: readonly string[];
}

/** A person or thing, with its relations to others. */
export interface SocialNodeRecord {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly trust: TrustLabel;
  readonly mention_count: number;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly edges: readonly SocialEdgeRecord[];
}

export interface SocialEdgeRecord {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly relation: string;
  readonly trust: TrustLabel;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
}

export interface WorkingMemoryRecord {
  readonly id: string;
  readonly task_id: string;
  readonly turn_id: string;
  readonly entry_type: "note" | "observation" | "summary";
  readonly content: string;
  readonly created_at: string;
}

/** The record of a turn: its tool calls and its outcome. */
export interface TrajectoryRecord {
  readonly id: string;
  /** The task's conversation. */
  readonly thread_id: string;
  readonly task_id: string;
  readonly created_at: string;
  readonly turn_id: string;
  readonly outcome: "completed" | "errored";
  readonly error_code: string | null;
  readonly steps: readonly TrajectoryStep[];
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly cache_hit_tokens: number };
  readonly duration_ms: number;
  readonly trust: TrustLabel;
  /** The learning batch that has read it, or null. */
  readonly batch_id: string | null;
}

/** One tool call; long inputs and outputs are cut. */
export interface TrajectoryStep {
  readonly tool: string;
  readonly input: string;
  readonly output: string;
  readonly ok: boolean;
  /** The sub-agent that made the call. Omitted for the turn's own agent. */
  readonly thread?: string;
}

/** One record by the name of its list. */
export interface MemoryItems {
  readonly episodes: EpisodeRecord;
  readonly knowledge: KnowledgeRecord;
  readonly social: SocialNodeRecord;
  readonly working: WorkingMemoryRecord;
  readonly trajectories: TrajectoryRecord;
}

/** A skill that learning drafted from successful turns. It is used only after a person allows it. */
export interface SkillDraftRecord {
  readonly id: string;
  readonly name: string;
  /** The content of the catalog's file. */
  readonly body: string;
  readonly state: "proposed" | "allowed" | "refused";
  readonly trust: TrustLabel;
  /** The ids of the source trajectories. */
  readonly trajectories: readonly string[];
  readonly created_at: string;
  readonly decided_at: string | null;
}

/** The response of `POST /memory/skills/decide`. */
export interface SkillDecided {
  readonly id: string;
  readonly name: string;
  readonly state: "allowed" | "refused";
  /** For an allowed skill: whether the catalog has loaded it, and its errors if not. */
  readonly catalog: {
    readonly reloaded: boolean;
    readonly errors: readonly { path: string; message: string }[];
  } | null;
}
