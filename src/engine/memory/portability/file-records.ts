import * as z from "zod/mini";
import { CONTENT, anyObject, step, usage } from "./file-content.ts";
import {
  type FileRecord,
  choice,
  fileName,
  flag,
  id,
  integer,
  json,
  listed,
  numbered,
  orMissing,
  orNull,
  fraction,
  task,
  text,
  time,
  trust,
} from "./file-fields.ts";
import { PROFILE_RECORD } from "./profile-record.ts";

const turnId = id("turn_id", "turn_");
const SHORT = 10_000;
const BRANCH = "br_";
const MESSAGE = "msg_";

/** In the order of the file, which is that of an import. */
const FILE_RECORDS = {
  task: {
    table: "tasks",
    order: "number",
    fields: {
      task_id: task(),
      branch: numbered("branch_id", BRANCH),
      title: text("title", SHORT),
      title_source: choice("title_source", ["first_words", "model", "user"]),
      agent: text("agent", SHORT),
      created_at: time("created_at"),
      last_active_at: time("last_active_at"),
      archived: flag("archived"),
      metadata: json("metadata", () => z.record(z.string(), z.string())),
      input_tokens: integer("input_tokens", 0),
      output_tokens: integer("output_tokens", 0),
      cache_hit_tokens: integer("cache_hit_tokens", 0),
      parent_task_id: orNull(task("parent_task_id")),
      parent_message: orNull(numbered("parent_message", MESSAGE)),
    },
    refers: { branch: "branch" },
  },
  branch: {
    table: "branches",
    order: "branch_id",
    fields: {
      id: numbered("branch_id", BRANCH),
      task_id: task(),
      parent: orNull(numbered("parent_branch_id", BRANCH)),
      // The same cut, by a message that is in the file.
      through: orNull(
        numbered("through", MESSAGE, "(select max(id) from messages where messages.id <= branches.through)"),
      ),
      created_at: time("created_at"),
    },
    refers: { parent: "branch", through: "message" },
  },
  turn: {
    table: "turns",
    order: "rowid",
    fields: {
      id: turnId,
      task_id: task(),
      state: choice("state", ["running", "completed", "errored"]),
      message: text("message"),
      metadata: json("metadata", anyObject),
      request: json("request", anyObject),
      error_code: orNull(text("error_code", SHORT)),
      started_at: time("started_at"),
      ended_at: orNull(time("ended_at")),
      output: orMissing(json("output", anyObject)),
      usage: orMissing(json("usage", usage)),
    },
  },
  message: {
    table: "messages",
    order: "id",
    fields: {
      id: orMissing(numbered("id", MESSAGE)),
      branch: orMissing(numbered("branch", BRANCH)),
      created_at: orMissing(time("created_at")),
      turn_id: turnId,
      task_id: task(),
      thread: text("thread", SHORT),
      role: choice("role", ["user", "assistant", "tool"]),
      content: json("content", () => z.union(Object.values(CONTENT).map((made) => made()))),
    },
    refers: { turn_id: "turn" },
    shapes: { field: "content", by: "role", of: CONTENT },
  },
  question: {
    table: "hitl_requests",
    order: "rowid",
    fields: {
      id: id("request_id", "hitl-"),
      task_id: task(),
      turn_id: turnId,
      tool_call_id: text("tool_call_id", SHORT),
      kind: choice("kind", ["question", "permission", "login"]),
      question: text("question"),
      context: json("context", anyObject),
      options: json("options", () => z.array(z.string())),
      allow_free_text: flag("allow_free_text"),
      created_at: time("created_at"),
      answer: orNull(text("answer")),
      lapsed: flag("lapsed"),
      resolved_at: orNull(time("resolved_at")),
    },
    refers: { turn_id: "turn" },
  },
  recall: {
    table: "recalls",
    order: "turn_id",
    fields: { turn_id: turnId, block: text("block"), trust: trust(), created_at: time("created_at") },
    refers: { turn_id: "turn" },
  },
  compaction: {
    table: "compactions",
    order: "id",
    fields: {
      task_id: task(),
      thread: text("thread", SHORT),
      turn_id: turnId,
      strategy: choice("strategy", ["structured_extraction", "summary"]),
      record: json("record", anyObject),
      created_at: time("created_at"),
    },
  },
  plan_item: {
    table: "plan_items",
    order: "task_id, position",
    fields: {
      task_id: task(),
      position: integer("position", 0),
      text: text("text"),
      status: choice("status", ["pending", "in_progress", "completed", "cancelled"]),
    },
  },
  working: {
    table: "working_memory",
    order: "id",
    fields: {
      id: { ...id("id", "note:"), toFile: (stored) => `note:${Number(stored)}` },
      task_id: task(),
      turn_id: turnId,
      entry_type: choice("entry_type", ["note", "observation", "summary"]),
      content: text("content"),
      created_at: time("created_at"),
    },
  },
  episode: {
    table: "episodes",
    order: "number",
    fields: {
      id: id("id", "ep_"),
      task_id: task(),
      turn_id: turnId,
      key: text("key"),
      description: text("description"),
      question: text("question"),
      answer: text("answer"),
      keys: text("keys"),
      importance: integer("importance", 1, 10),
      source: text("source", SHORT),
      trust: trust(),
      event_time: time("event_time"),
      created_at: time("created_at"),
    },
  },
  knowledge: {
    table: "knowledge",
    order: "number",
    fields: {
      id: id("id", "kn_"),
      content: text("content"),
      subject: text("subject"),
      predicate: text("predicate"),
      object: text("object"),
      hash: text("hash", SHORT),
      importance: integer("importance", 1, 10),
      confidence: fraction("confidence"),
      source: text("source", SHORT),
      trust: trust(),
      valid_from: orNull(time("valid_from")),
      valid_to: orNull(time("valid_to")),
      created_at: time("recorded_from"),
      invalidated_at: orNull(time("recorded_to")),
      superseded_by: orNull(id("superseded_by", "kn_")),
      evidence: listed(
        "select episode_id as value from knowledge_evidence where knowledge_id = knowledge.id order by 1",
        () => z.string(),
      ),
    },
    refers: { superseded_by: "knowledge", evidence: "episode" },
  },
  social_node: {
    table: "social_nodes",
    order: "number",
    fields: {
      id: id("id", "nd_"),
      name: text("name", SHORT),
      node_type: text("type", SHORT),
      aliases: listed("select alias as value from social_aliases where node_id = social_nodes.id order by 1", () =>
        z.string(),
      ),
      summary: text("summary"),
      trust: trust(),
      mention_count: integer("mentions", 0),
      first_seen: time("first_seen"),
      last_seen: time("last_seen"),
    },
  },
  social_edge: {
    table: "social_edges",
    order: "number",
    fields: {
      id: id("id", "ed_"),
      from: id("from_node", "nd_"),
      to: id("to_node", "nd_"),
      relation: text("relation", SHORT),
      trust: trust(),
      valid_from: orNull(time("valid_from")),
      valid_to: orNull(time("valid_to")),
      created_at: time("recorded_from"),
      invalidated_at: orNull(time("recorded_to")),
    },
    refers: { from: "social_node", to: "social_node" },
  },
  social_mention: {
    table: "social_mentions",
    order: "node_id, ref",
    fields: { node_id: id("node_id", "nd_"), ref: text("ref", SHORT) },
    refers: { node_id: "social_node" },
  },
  trajectory: {
    table: "trajectories",
    order: "number",
    fields: {
      id: id("id", "tr_"),
      task_id: task(),
      turn_id: turnId,
      outcome: choice("outcome", ["completed", "errored"]),
      error_code: orNull(text("error_code", SHORT)),
      steps: json("steps", () => z.array(step())),
      usage: json("usage", usage),
      trust: trust(),
      duration_ms: integer("duration_ms", 0),
      created_at: time("created_at"),
      batch_id: orNull(text("batch_id", SHORT)),
    },
  },
  profile_line: PROFILE_RECORD,
  skill_draft: {
    table: "skill_drafts",
    order: "number",
    fields: {
      id: id("id", "sd_"),
      name: fileName("name"),
      signature: text("signature"),
      body: text("body"),
      trust: trust(),
      state: choice("state", ["proposed", "allowed", "refused"]),
      trajectories: json("trajectories", () => z.array(z.string())),
      created_at: time("created_at"),
      decided_at: orNull(time("decided_at")),
    },
  },
} as const satisfies Readonly<Record<string, Omit<FileRecord, "refers"> & { readonly refers?: unknown }>>;

export type RecordType = keyof typeof FILE_RECORDS;
export const RECORD_TYPES = Object.keys(FILE_RECORDS) as readonly RecordType[];
export const fileRecord = (type: RecordType): FileRecord<RecordType> => FILE_RECORDS[type];

/** The columns to select for a record type, and the conversion of a row to a record. */
export function readerOf(type: RecordType) {
  const fields = Object.entries(fileRecord(type).fields);
  return {
    columns: fields.map(([name, { column, expression }]) => `${expression ?? column} as "${name}"`).join(", "),
    read: (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
      Object.fromEntries(fields.map(([name, { toFile }]) => [name, toFile(row[name])])),
  };
}
