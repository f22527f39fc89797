import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { ENGINE_MIGRATIONS } from "../../../migrations/engine/index.ts";
import { CompactionTable } from "../../../src/engine/store/compactions.ts";
import { firstWords } from "../../../src/engine/store/first-words.ts";
import { MessageTable } from "../../../src/engine/store/messages.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { freshFolder } from "../../helpers/folder.ts";

const TIME = Date.parse("2026-03-01T10:00:00Z");
const LONG =
  "Compare the three\n\n offers of the \t printers and tell me which of them is the cheapest over five years";

/** A store as the release before tasks were records has left it. */
function earlier(folder: string): void {
  const db = new DatabaseSync(join(folder, "engine.db"));
  const version = ENGINE_MIGRATIONS.findIndex((sql) => sql.includes("create table tasks"));
  for (const sql of ENGINE_MIGRATIONS.slice(0, version)) db.exec(sql);
  db.exec(`pragma user_version = ${version}`);
  const turn = db.prepare(
    `insert into turns (turn_id, task_id, state, message, metadata, request, started_at, ended_at)
     values (?, ?, ?, ?, '{}', ?, ?, ?)`,
  );
  turn.run("turn_1", "print", "completed", LONG, '{"agent":"writer"}', TIME, TIME + 50);
  turn.run("turn_2", "print", "running", "and now?", '{"agent":"explorer"}', TIME + 100, null);
  turn.run("turn_3", "other", "completed", "x".repeat(80), "not json", TIME + 10, TIME + 20);
  const message = db.prepare("insert into messages (task_id, turn_id, thread, role, content) values (?, ?, ?, ?, ?)");
  message.run("print", "turn_1", "", "user", JSON.stringify(LONG));
  message.run("print", "turn_1", "", "assistant", '[{"kind":"text","text":"a"}]');
  message.run("print", "turn_1", "", "tool", "[]");
  message.run("print", "turn_1", "sub", "user", '"nested"');
  message.run("other", "turn_3", "", "user", '"x"');
  message.run("print", "turn_1", "", "assistant", '[{"kind":"text","text":"b"}]');
  message.run("print", "turn_2", "", "user", '"and now?"');
  message.run("lost", "turn_0", "", "user", '"of a turn that is not stored"');
  db.prepare("insert into recalls (turn_id, block, trust, created_at) values ('turn_1', 'block', 1, 1)").run();
  db.prepare(
    `insert into trajectories (id, task_id, turn_id, outcome, steps, usage, trust, duration_ms, created_at)
     values ('tr_1', 'print', 'turn_1', 'completed', '[]', '{"inputTokens":7,"outputTokens":3,"cacheHitTokens":2}', 1, 5, 1)`,
  ).run();
  const compaction = db.prepare(
    `insert into compactions (task_id, thread, turn_id, strategy, record, created_at)
     values ('print', ?, 'turn_1', 'summary', ?, 1)`,
  );
  const record = (name: string) => JSON.stringify({ name, hiddenThrough: 2, clearedThrough: 2, summarisedThrough: 2 });
  compaction.run("", record("own"));
  compaction.run("sub", record("nested"));
  db.close();
}

t.test("tasks of a store of an earlier release have records and their messages", async (t) => {
  const folder = freshFolder(t);
  earlier(folder);
  const store = openStore(folder);
  t.teardown(() => store.close());
  const rows = store.db
    .prepare(
      `select task_id as id, title, title_source as source, agent, created_at - ${TIME} as created,
         last_active_at - ${TIME} as active, message_count as messages, input_tokens as input, output_tokens as output,
         cache_hit_tokens as cached from tasks where task_id <> 'lost' order by number`,
    )
    .all()
    .map((row) => ({ ...row }));
  t.strictSame(rows, [
    {
      id: "print",
      title: "Compare the three offers of the printers and tell me which…",
      source: "first_words",
      agent: "explorer",
      created: 0,
      active: 100,
      messages: 3,
      input: 7,
      output: 3,
      cached: 2,
    },
    {
      id: "other",
      title: `${"x".repeat(59)}…`,
      source: "first_words",
      agent: "default",
      created: 10,
      active: 20,
      messages: 1,
      input: 0,
      output: 0,
      cached: 0,
    },
  ]);
  t.equal(rows[0]?.["title"], firstWords(LONG), "a title is what a new task would have");
  t.equal(rows[1]?.["title"], firstWords("x".repeat(80)));
  const messages = new MessageTable(store);
  t.strictSame(
    messages.ofTask("print").map(({ id, role, recalled }) => [id, role, recalled]),
    [
      [1, "user", "block"],
      [2, "assistant", undefined],
      [3, "tool", undefined],
      [6, "assistant", undefined],
      [7, "user", undefined],
    ],
  );
  t.equal(messages.ofTask("print", "sub").length, 1);
  t.equal(messages.ofTask("lost").length, 1, "a task without a stored turn is kept");
  const times = store.db.prepare("select created_at as at from messages where id in (1, 6, 7) order by id").all();
  t.strictSame(
    times.map(({ at }) => Number(at) - TIME),
    [0, 50, 100],
  );
  const compactions = new CompactionTable(store);
  t.match(compactions.last("print", ""), { name: "own" });
  t.match(compactions.last("print", "sub"), { name: "nested" });
  t.match(store.db.prepare("select usage from turns where turn_id = 'turn_1'").get()?.["usage"], /"inputTokens":7/);
  messages.append("print", { turnId: "turn_2", role: "assistant", content: [] });
  t.equal(messages.ofTask("print").at(-1)?.id, 9);
});
