/** What an engine remembers, as its API shows it. Times are ISO 8601 UTC; `trust` is who it goes back to at the least. */
export type TrustLabel = "external" | "model" | "internal" | "user";

export const MEMORY_LISTS = ["episodes", "knowledge", "social", "working", "trajectories"] as const;
export type MemoryList = (typeof MEMORY_LISTS)[number];

/** The newest first; `next_cursor` asks for what is older, null at the end. */
export interface MemoryPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** A round of a conversation: what was asked, and what was answered. */
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

/** A fact: when it was true, and from when to when the engine believed it. */
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
  /** The fact that took its place. */
  readonly superseded_by: string | null;
  /** The episodes it was learnt from. */
  readonly evidence: readonly string[];
}

/** Somebody or something that was spoken of, with what it has to do with others. */
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

/** How a turn went. */
export interface TrajectoryRecord {
  readonly id: string;
  /** The conversation: that of the task. */
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
  /** The learning batch that read it; null until then. */
  readonly batch_id: string | null;
}

/** One tool call; long inputs and outputs are cut. */
export interface TrajectoryStep {
  readonly tool: string;
  readonly input: string;
  readonly output: string;
  readonly ok: boolean;
  /** The agent that worked for the turn's own; left out where it was that one itself. */
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

/** A skill that learning has drafted from work that went well; nobody uses it before a person allows it. */
export interface SkillDraftRecord {
  readonly id: string;
  readonly name: string;
  /** The file as it would lie in the catalog. */
  readonly body: string;
  readonly state: "proposed" | "allowed" | "refused";
  readonly trust: TrustLabel;
  /** The turns it was drawn from. */
  readonly trajectories: readonly string[];
  readonly created_at: string;
  readonly decided_at: string | null;
}

/** What `POST /memory/skills/decide` answers. */
export interface SkillDecided {
  readonly id: string;
  readonly name: string;
  readonly state: "allowed" | "refused";
  /** Of a skill that was allowed now: whether the catalog has it, and if not, what is wrong there. */
  readonly catalog: {
    readonly reloaded: boolean;
    readonly errors: readonly { path: string; message: string }[];
  } | null;
}
