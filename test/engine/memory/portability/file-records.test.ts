import t from "tap";
import { RECORD_TYPES, fileRecord } from "../../../../src/engine/memory/portability/file-records.ts";
import { openStore } from "../../../../src/engine/store/open-store.ts";
import { freshFolder } from "../../../helpers/folder.ts";

/** Why a table's rows are no records of a memory file. */
const NOT_IN_A_FILE: Readonly<Record<string, string>> = {
  knowledge_evidence: "in the facts",
  profile_facts: "in the lines of the profile",
  social_aliases: "in the nodes",
  events: "the same words, for a day",
  event_places: "where the log has what",
  tool_calls: "only while a turn runs",
  client_tool_calls: "of turns that wait, and for a day",
  loaded_tools: "tools of this engine; the model finds them again",
  idempotency_keys: "of calls, for a day",
  learning_batches: "what batches did; trajectories name theirs",
  embedding_vectors: "made again from what they are of",
  embedding_signs: "of the vectors",
  embedding_queue: "what waits for its vector",
  model_requests: "of model calls, for a day",
  grants: "permissions of this engine",
  tool_definitions: "tools of this engine",
  tool_servers: "where its tools come from",
  engine_state: "about the store",
  inbox: "what waits for a turn of this engine",
  tool_verdicts: "of calls of a turn that runs",
  turn_notices: "what the daemon has not read yet",
  artifacts: "of the files of this engine's workspace",
  file_changes: "of the files of this engine's workspace",
  checkpoint_contents: "of the files of this engine's workspace",
  incomplete_comparisons: "of the files of this engine's workspace",
  usage_days: "what this engine has spent; the daemon collects it",
};
/** Columns that only mean something in their own store. */
const LOCAL: Readonly<Record<string, readonly string[]>> = {
  turns: ["resumes", "blocks"],
  tasks: ["number", "message_count", "defaults"],
  compactions: ["id", "branch"],
  ...Object.fromEntries(
    ["episodes", "knowledge", "social_nodes", "social_edges", "trajectories", "profile_lines", "skill_drafts"].map(
      (table) => [table, ["number"]],
    ),
  ),
};

t.test("every table and column is in a memory file, or is listed here with the reason", async (t) => {
  const store = openStore(freshFolder(t));
  const tables = store.db
    .prepare("pragma main.table_list")
    .all()
    .filter(({ name, type }) => type === "table" && !String(name).startsWith("sqlite_"))
    .map(({ name }) => String(name));
  const records = RECORD_TYPES.map(fileRecord);
  t.same(tables.toSorted(), [...records.map(({ table }) => table), ...Object.keys(NOT_IN_A_FILE)].toSorted());
  for (const { table, fields } of records) {
    const columns = store.db
      .prepare(`pragma table_info(${table})`)
      .all()
      .map(({ name }) => String(name));
    const told = Object.values(fields).flatMap(({ column }) => (column === "" ? [] : [column]));
    t.same([...told, ...(LOCAL[table] ?? [])].toSorted(), columns.toSorted(), table);
  }
  store.close();
});
