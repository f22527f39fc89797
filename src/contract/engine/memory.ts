import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";
import { tokenUsage } from "./token-usage.ts";

export const trustLabel = z.enum(["external", "model", "internal", "user"]).check(z.meta({ title: "TrustLabel" }));
export type TrustLabel = z.output<typeof trustLabel>;

export const entryType = z.enum(["note", "observation", "summary"]).check(z.meta({ title: "WorkingMemoryEntryType" }));
export type WorkingMemoryEntryType = z.output<typeof entryType>;

const trust = field(trustLabel, "The least trusted source that it derives from.", "user");
const taskId = field(text, "The task, which is the conversation.", "t1");
const turnId = field(text, "The turn.", "turn_01jd3v9q2c");
const importance = z.number().check(z.gte(1), z.lte(10));
const evidence = field(z.array(text), "The ids of the rounds that it derives from.", ["ep_01jd3va0xk"]);

const episodeRecord = record("EpisodeRecord", "A round of a conversation: a question and its answer.", {
  id: field(text, "The round's id.", "ep_01jd3va0xk"),
  key: field(text, "What the round is about, in a few words. The question until a learning batch has read it."),
  description: field(text, "A sentence or two on the round. Learning replaces it by a better one."),
  created_at: field(time, "When it was stored, which is when its turn ended."),
  task_id: taskId,
  turn_id: turnId,
  question: field(text, "The user's message. The middle of a long one is left out.", "Where do I live?"),
  answer: field(text, "The agent's answer. The middle of a long one is left out.", "You live in Lyon."),
  importance: field(importance, "1 to 10.", 3),
  source: field(text, "Where it comes from.", "conversation"),
  trust,
  event_time: field(time, "When the turn began."),
});
export type EpisodeRecord = RecordOf<typeof episodeRecord>;

const knowledgeRecord = record(
  "KnowledgeRecord",
  "A fact, with the time in which it is true and the time in which the engine believed it.",
  {
    id: field(text, "The fact's id.", "kn_01jd3vb7fw"),
    content: field(text, "The fact as a sentence.", "The user lives in Lyon."),
    subject: field(text, "Whom or what it is about.", "user"),
    predicate: field(text, "What it says of the subject.", "lives in"),
    object: field(text, "The value.", "Lyon"),
    importance: field(importance, "1 to 10.", 5),
    confidence: field(z.number().check(z.gte(0), z.lte(1)), "How well its source supports it, 0 to 1.", 0.9),
    source: field(text, "Who said it: `user` or `assistant`.", "user"),
    trust,
    valid_from: nullable(time, "Since when it is true. `null` when no time was given.", null),
    valid_to: nullable(time, "Until when it was true. `null` for a fact that is true now.", null),
    created_at: field(time, "When the engine learned it."),
    invalidated_at: nullable(time, "When the engine stopped believing it. `null` while it does.", null),
    superseded_by: nullable(text, "The id of the fact that replaced it.", null),
    evidence,
  },
);
export type KnowledgeRecord = RecordOf<typeof knowledgeRecord>;

const nodeId = field(text, "The id of a person or thing.", "nd_01jd3vbd3h");

const socialEdge = record("SocialEdgeRecord", "A relation between two people or things.", {
  id: field(text, "The relation's id.", "ed_01jd3vbe8m"),
  from: nodeId,
  to: nodeId,
  relation: field(text, "What `to` is to `from`.", "sister"),
  trust,
  valid_from: nullable(time, "Since when it is true. `null` when no time was given.", null),
  valid_to: nullable(time, "Until when it was true. `null` for a relation that is true now.", null),
});
export type SocialEdgeRecord = RecordOf<typeof socialEdge>;

const socialNode = record("SocialNodeRecord", "A person or thing, with its relations to others.", {
  id: nodeId,
  name: field(text, "The name by which it is mentioned.", "Mara"),
  type: field(text, "Such as `person`, `organisation`, `place`, `animal` or `thing`.", "person"),
  aliases: field(z.array(text), "Other names of it.", ["my sister"]),
  summary: field(text, "What it is to the user.", "the user's sister"),
  trust,
  mention_count: field(count, "How many rounds mention it.", 4),
  first_seen: field(time, "When it was first mentioned."),
  last_seen: field(time, "When it was last mentioned."),
  edges: field(z.array(socialEdge), "Its relations that the engine believes now."),
});
export type SocialNodeRecord = RecordOf<typeof socialNode>;

const workingMemory = record("WorkingMemoryRecord", "A note that the agent wrote down.", {
  id: field(text, "The note's id.", "note:17"),
  task_id: taskId,
  turn_id: turnId,
  entry_type: field(entryType, "What the agent wrote it as.", "note"),
  content: field(text, "The text of the note.", "The report is due on Friday."),
  created_at: field(time, "When it was written."),
});
export type WorkingMemoryRecord = RecordOf<typeof workingMemory>;

const trajectoryStep = record("TrajectoryStep", "One tool call of a turn.", {
  tool: field(text, "The tool's name.", "read_file"),
  input: field(text, "The input as JSON. A long one is cut.", '{"path":"a.txt"}'),
  output: field(text, "The output. A long one is cut.", "hello"),
  ok: field(z.boolean(), "Whether the call succeeded.", true),
  thread: z.exactOptional(
    field(text, "The sub-agent that made the call. Omitted for the turn's own agent.", "researcher"),
  ),
});
export type TrajectoryStep = RecordOf<typeof trajectoryStep>;

const trajectoryRecord = record("TrajectoryRecord", "How a turn went: its tool calls and its outcome.", {
  id: field(text, "The trajectory's id.", "tr_01jd3va0xm"),
  thread_id: field(text, "The conversation, which is the task.", "t1"),
  task_id: taskId,
  created_at: field(time, "When the turn ended."),
  turn_id: turnId,
  outcome: field(z.enum(["completed", "errored"]), "How the turn ended.", "completed"),
  error_code: nullable(text, "The error code of a turn that `errored`.", null),
  steps: field(z.array(trajectoryStep), "Its tool calls, in their order."),
  usage: field(z.object(tokenUsage), "Tokens of all model calls of the turn."),
  duration_ms: field(count, "Milliseconds from the turn's start to its end.", 5200),
  trust,
  batch_id: nullable(text, "The learning batch that has read it. `null` before that.", null),
});
export type TrajectoryRecord = RecordOf<typeof trajectoryRecord>;

/** One record by the name of its list. */
export interface MemoryItems {
  readonly episodes: EpisodeRecord;
  readonly knowledge: KnowledgeRecord;
  readonly social: SocialNodeRecord;
  readonly working: WorkingMemoryRecord;
  readonly trajectories: TrajectoryRecord;
}

const knowledgeHit = record("KnowledgeHit", "A result of a search of the memory.", {
  id: field(text, "The id of the round, the fact or the note.", "kn_01jd3vb7fw"),
  kind: field(z.enum(["episode", "fact", "note"]), "`episode`: a round. `note`: the agent's.", "fact"),
  bearing: field(
    z.enum(["answers", "touches"]),
    "The relevance verdict. `answers`: the memory seems to hold the answer, and this result is part of it. `touches`: the result only mentions the topic.",
    "answers",
  ),
  key: field(text, "What it is about, in a few words.", "user lives in"),
  content: field(text, "The text of the result.", "The user lives in Lyon."),
  score: field(z.number(), "Only orders the results of one search.", 0.08),
  source: field(text, "Where it comes from.", "user"),
  trust: field(text, "The least trusted source that it derives from.", "user"),
  created_at: field(time, "When the engine stored it."),
  event_time: field(time, "When the described event happened."),
  valid_from: nullable(time, "Of a fact: since when it is true.", null),
  valid_to: nullable(time, "Of a fact: until when it was true. `null` if it is true now.", null),
  evidence,
});
export type KnowledgeHit = RecordOf<typeof knowledgeHit>;

const page = <Item extends z.ZodMiniType>(item: Item) =>
  z
    .object({
      items: field(z.array(item), "The records of this page."),
      next_cursor: nullable(
        text,
        "The `cursor` of the next page of the same list. `null` on the last one.",
        "episodes.812",
      ),
    })
    .check(z.meta({ description: "Records of the memory, the newest first." }));
const episodePage = page(episodeRecord);

/** Newest first. */
export type MemoryPage<Item> = Omit<RecordOf<typeof episodePage>, "items"> & { readonly items: readonly Item[] };

/** The bodies of the routes that list and search the memory. */
export const MEMORY_RESPONSES = {
  EpisodePage: episodePage,
  KnowledgePage: page(knowledgeRecord),
  SocialPage: page(socialNode),
  WorkingMemoryPage: page(workingMemory),
  TrajectoryPage: page(trajectoryRecord),
  KnowledgeHits: z
    .object({ results: field(z.array(knowledgeHit), "The best result first.") })
    .check(z.meta({ description: "The results of a search." })),
  FactEnded: z
    .object({
      id: field(text, "The fact's id.", "kn_01jd3vb7fw"),
      ended: field(z.literal(true), "Always `true`, also when the fact had ended before."),
    })
    .check(z.meta({ description: "A fact that is true no longer." })),
} as const satisfies Record<string, z.ZodMiniType>;
