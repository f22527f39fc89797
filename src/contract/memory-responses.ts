import * as z from "zod/mini";
import {
  MEMORY_FORMAT,
  type MemoryErased,
  type MemoryFileEnd,
  type MemoryFileHeader,
  type MemoryFileRecord,
  type MemoryImported,
} from "./memory-file.ts";
import type {
  EpisodeRecord,
  KnowledgeRecord,
  MemoryPage,
  SkillDecided,
  SkillDraftRecord,
  SocialNodeRecord,
  TrajectoryRecord,
  WorkingMemoryRecord,
} from "./memory-records.ts";
import { count, text, textOrNull, time, timeOrNull } from "./response-schemas.ts";

const trust = z.enum(["external", "model", "internal", "user"]);
const importance = z.number().check(z.gte(1), z.lte(10));

const episode = z.object({
  id: text,
  key: text,
  description: text,
  created_at: time,
  task_id: text,
  turn_id: text,
  question: text,
  answer: text,
  importance,
  source: text,
  trust,
  event_time: time,
}) satisfies z.ZodMiniType<EpisodeRecord>;

const knowledge = z.object({
  id: text,
  content: text,
  subject: text,
  predicate: text,
  object: text,
  importance,
  confidence: z.number().check(z.gte(0), z.lte(1)),
  source: text,
  trust,
  valid_from: timeOrNull,
  valid_to: timeOrNull,
  created_at: time,
  invalidated_at: timeOrNull,
  superseded_by: textOrNull,
  evidence: z.array(text),
}) satisfies z.ZodMiniType<KnowledgeRecord>;

const socialNode = z.object({
  id: text,
  name: text,
  type: text,
  aliases: z.array(text),
  summary: text,
  trust,
  mention_count: count,
  first_seen: time,
  last_seen: time,
  edges: z.array(
    z.object({
      id: text,
      from: text,
      to: text,
      relation: text,
      trust,
      valid_from: timeOrNull,
      valid_to: timeOrNull,
    }),
  ),
}) satisfies z.ZodMiniType<SocialNodeRecord>;

const workingEntry = z.object({
  id: text,
  task_id: text,
  turn_id: text,
  entry_type: z.enum(["note", "observation", "summary"]),
  content: text,
  created_at: time,
}) satisfies z.ZodMiniType<WorkingMemoryRecord>;

const trajectory = z.object({
  id: text,
  thread_id: text,
  task_id: text,
  created_at: time,
  turn_id: text,
  outcome: z.enum(["completed", "errored"]),
  error_code: textOrNull,
  steps: z.array(z.object({ tool: text, input: text, output: text, ok: z.boolean(), thread: z.exactOptional(text) })),
  usage: z.object({ input_tokens: count, output_tokens: count, cache_hit_tokens: count }),
  duration_ms: count,
  trust,
  batch_id: textOrNull,
}) satisfies z.ZodMiniType<TrajectoryRecord>;

const skillDraft = z.object({
  id: text,
  name: text,
  body: text,
  state: z.enum(["proposed", "allowed", "refused"]),
  trust,
  trajectories: z.array(text),
  created_at: time,
  decided_at: timeOrNull,
}) satisfies z.ZodMiniType<SkillDraftRecord>;

const fileHeader = z.object({
  type: z.literal("header"),
  format: z.literal(MEMORY_FORMAT),
  version: count,
  engine_version: text,
  engine_id: text,
  user_id: text,
  product: text,
  exported_at: time,
}) satisfies z.ZodMiniType<MemoryFileHeader>;
const fileRecord = z.looseObject({
  type: text,
  id: z.exactOptional(text),
  trust: z.exactOptional(trust),
}) satisfies z.ZodMiniType<MemoryFileRecord>;
const counts = z.record(text, count);
const fileEnd = z.object({ type: z.literal("end"), counts }) satisfies z.ZodMiniType<MemoryFileEnd>;

const page = <Item extends z.ZodMiniType>(item: Item) => z.object({ items: z.array(item), next_cursor: textOrNull });

/** The bodies of the engine's `/memory` routes. */
export const MEMORY_RESPONSES = {
  EpisodePage: page(episode) satisfies z.ZodMiniType<MemoryPage<EpisodeRecord>>,
  KnowledgePage: page(knowledge) satisfies z.ZodMiniType<MemoryPage<KnowledgeRecord>>,
  SocialPage: page(socialNode) satisfies z.ZodMiniType<MemoryPage<SocialNodeRecord>>,
  WorkingMemoryPage: page(workingEntry) satisfies z.ZodMiniType<MemoryPage<WorkingMemoryRecord>>,
  TrajectoryPage: page(trajectory) satisfies z.ZodMiniType<MemoryPage<TrajectoryRecord>>,
  MemoryFileLine: z.union([fileHeader, fileEnd, fileRecord]),
  MemoryImported: z.object({ imported: counts, skipped: counts }) satisfies z.ZodMiniType<MemoryImported>,
  MemoryErased: z.object({ erased: counts }) satisfies z.ZodMiniType<MemoryErased>,
  FactEnded: z.object({ id: text, ended: z.literal(true) }),
  SkillDrafts: z.object({ skills: z.array(skillDraft) }),
  SkillDecided: z.object({
    id: text,
    name: text,
    state: z.enum(["allowed", "refused"]),
    catalog: z.nullable(
      z.object({
        reloaded: z.boolean(),
        errors: z.array(z.object({ path: text, line: z.optional(count), message: text })),
      }),
    ),
  }) satisfies z.ZodMiniType<SkillDecided>,
} as const satisfies Record<string, z.ZodMiniType>;
