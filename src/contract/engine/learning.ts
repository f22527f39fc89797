import * as z from "zod/mini";
import { catalogRemarks } from "./catalog.ts";
import { trustLabel } from "./memory.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

const learningBatch = record("LearningBatch", "The result of a learning batch.", {
  batch_id: field(text, "The batch's id.", "lb_01jd3vc2mn"),
  trajectories: field(count, "Turns that it read.", 12),
  episodes: field(count, "Rounds for which it wrote a better key and description.", 10),
  knowledge_added: field(count, "New facts.", 5),
  knowledge_closed: field(count, "Facts that a new one replaced.", 1),
  nodes: field(count, "New people and things.", 2),
  profile_lines: field(count, "Lines of the profile page that were written or removed.", 2),
  skills_drafted: field(count, "New skill drafts, for a person to decide.", 0),
  duration_ms: field(count, "Milliseconds that it took.", 8400),
});
export type LearningBatch = RecordOf<typeof learningBatch>;

const draftId = field(text, "The draft's id.", "sd_01jd3vc9tq");
const skillName = field(text, "The name of the skill, and of its folder in the catalog.", "weekly-report");

const skillDraft = record(
  "SkillDraftRecord",
  "A skill that learning drafted from successful turns. No agent uses it before a person allows it.",
  {
    id: draftId,
    name: skillName,
    body: field(text, "The content of the file `SKILL.md`."),
    state: field(z.enum(["proposed", "allowed", "refused"]), "`proposed`: nobody has decided yet.", "proposed"),
    trust: field(trustLabel, "The least trusted source that it derives from.", "user"),
    trajectories: field(z.array(text), "The ids of the trajectories that it derives from.", ["tr_01jd3va0xm"]),
    created_at: field(time, "When it was drafted."),
    decided_at: nullable(time, "When it was decided. `null` before that.", null),
  },
);
export type SkillDraftRecord = RecordOf<typeof skillDraft>;

const skillDecided = record("SkillDecided", "A skill draft that was decided.", {
  id: draftId,
  name: skillName,
  state: field(z.enum(["allowed", "refused"]), "The decision.", "allowed"),
  catalog: nullable(
    z.object({
      reloaded: field(z.boolean(), "Whether the catalog has loaded the skill.", true),
      errors: field(catalogRemarks, "Why it has not. Empty when it has.", []),
    }),
    "The reload of the catalog. `null` for a refused skill, and for one that had been decided before.",
  ),
});
export type SkillDecided = RecordOf<typeof skillDecided>;

/** The bodies of the routes of learning. */
export const LEARNING_RESPONSES = {
  LearningBatch: learningBatch,
  SkillDrafts: z
    .object({ skills: field(z.array(skillDraft), "The newest first.") })
    .check(z.meta({ description: "The skill drafts, at most 200." })),
  SkillDecided: skillDecided,
} as const satisfies Record<string, z.ZodMiniType>;
