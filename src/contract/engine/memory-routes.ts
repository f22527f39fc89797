import { correctProfileRequest } from "./profile.ts";
import { decideSkillRequest, endFactRequest, knowledgeSearchRequest } from "./requests.ts";
import { type EngineRoute, engine } from "./route-row.ts";
import { PAGE, lines, ok } from "../route-table.ts";

/** Bytes of the file that `POST /memory/import` takes. */
export const MAX_MEMORY_FILE_BYTES = 2 * 1024 ** 3;

/** The engine's memory, its export and its learning. */
export const ENGINE_MEMORY_ROUTES = {
  searchMemory: engine("POST /memory/knowledge/search", "[Search the memory](memory.md#search)", {
    role: "operator",
    scope: "memory:read",
    request: knowledgeSearchRequest,
    responses: ok("KnowledgeHits"),
  }),
  listEpisodes: engine("GET /memory/episodes", "[List](memory.md#lists) rounds of conversations", {
    role: "operator",
    scope: "memory:read",
    query: PAGE,
    responses: ok("EpisodePage"),
  }),
  listKnowledge: engine("GET /memory/knowledge", "List facts", {
    role: "operator",
    scope: "memory:read",
    query: PAGE,
    responses: ok("KnowledgePage"),
  }),
  endFact: engine("POST /memory/knowledge/end", "[End a fact](memory.md#end-a-fact) that is true no longer", {
    role: "operator",
    scope: "memory:erase",
    request: endFactRequest,
    responses: ok("FactEnded"),
    errors: ["NOT_FOUND"],
  }),
  listSocial: engine("GET /memory/social", "List people and things, with their relations", {
    role: "operator",
    scope: "memory:read",
    query: PAGE,
    responses: ok("SocialPage"),
  }),
  listWorking: engine("GET /memory/working", "List the notes of the agent", {
    role: "operator",
    scope: "memory:read",
    query: PAGE,
    responses: ok("WorkingMemoryPage"),
  }),
  listTrajectories: engine("GET /memory/trajectories", "List how turns went: steps, tools, outcome", {
    role: "operator",
    scope: "memory:read",
    query: PAGE,
    responses: ok("TrajectoryPage"),
  }),
  getProfile: engine("GET /memory/profile", "Get the [profile page](memory.md#profile) of the user", {
    role: "operator",
    scope: "memory:read",
    responses: ok("Profile"),
  }),
  correctProfileLine: engine("PATCH /memory/profile/{line_id}", "[Correct](memory.md#correct-the-profile) a line", {
    role: "operator",
    scope: "memory:erase",
    request: correctProfileRequest,
    responses: ok("ProfileLine"),
    errors: ["NOT_FOUND"],
  }),
  deleteProfileLine: engine("DELETE /memory/profile/{line_id}", "Delete a line", {
    role: "operator",
    scope: "memory:erase",
    responses: ok("ProfileLineDeleted"),
    errors: ["NOT_FOUND"],
  }),
  exportMemory: engine("GET /memory/export", "[Export](memory.md#export) the memory as JSON lines", {
    role: "operator",
    scope: "memory:read",
    responses: { 200: [lines("MemoryFileLine")] },
    errors: ["MEMORY_BUSY"],
  }),
  importMemory: engine("POST /memory/import", "[Import](memory.md#import) an exported file", {
    role: "operator",
    scope: null,
    requestLines: "MemoryFileLine",
    maxBodyBytes: MAX_MEMORY_FILE_BYTES,
    timeout: "hour",
    responses: ok("MemoryImported"),
    errors: ["MEMORY_BUSY"],
  }),
  eraseMemory: engine("DELETE /memory", "[Erase](memory.md#erase) the memory", {
    role: "admin",
    scope: "memory:erase",
    repeatable: false,
    timeout: "hour",
    responses: ok("MemoryErased"),
    errors: ["TASK_BUSY", "LC_RUNNING", "MEMORY_BUSY"],
  }),
  listSkills: engine("GET /memory/skills", "List [skill drafts](memory.md#skill-drafts)", {
    role: "operator",
    scope: null,
    responses: ok("SkillDrafts"),
  }),
  decideSkill: engine("POST /memory/skills/decide", "Accept (`allow`) or reject (`refuse`) a skill draft", {
    role: "operator",
    scope: null,
    request: decideSkillRequest,
    responses: ok("SkillDecided"),
    errors: ["NOT_FOUND", "SKILL_ALREADY_DECIDED", "CATALOG_INVALID"],
  }),
  triggerLearning: engine("POST /admin/lc/trigger", "Run a [learning batch](memory.md#learning) now", {
    role: "operator",
    scope: null,
    repeatable: false,
    timeout: "hour",
    responses: ok("LearningBatch"),
    errors: [
      "POLICY_DENIED",
      "LC_RUNNING",
      "BUDGET_EXCEEDED",
      "LLM_RATE_LIMITED",
      "LLM_PROVIDER_ERROR",
      "ENGINE_DRAINING",
    ],
  }),
} satisfies Record<string, EngineRoute>;
