import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { MemoryPortability } from "../../../../src/engine/memory/portability/memory-portability.ts";
import { WriteLane } from "../../../../src/engine/memory/write-lane.ts";
import { BranchTable } from "../../../../src/engine/store/branches.ts";
import { MessageTable } from "../../../../src/engine/store/messages.ts";
import { TaskTable } from "../../../../src/engine/store/tasks.ts";
import { TurnTable } from "../../../../src/engine/store/turns.ts";
import { openStore } from "../../../../src/engine/store/open-store.ts";
import { type TestEngine, openStream, startEngine } from "../../../helpers/engine.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { KEY, engineParts, servedParts } from "../../../helpers/engine-parts.ts";
import { until } from "../../../helpers/until.ts";

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

const TIME = Date.parse("2026-03-01T10:00:00.123Z");
/** So many that an import or an erasure can be killed while it runs. */
const ROUNDS = 1500;

/** A store's folder that has something of every sort, as the engine and its learning leave it. */
function remembering(t: Test, { rounds = 3 } = {}): string {
  const folder = freshFolder(t);
  const store = openStore(folder);
  const run = (sql: string, ...values: (string | number | null)[]) => void store.db.prepare(sql).run(...values);
  store.transaction(() => {
    run(`insert into branches (branch_id, task_id, created_at) values (1, 'task-1', ?)`, TIME);
    run(
      `insert into tasks (task_id, branch_id, title, title_source, agent, created_at, last_active_at)
       values ('task-1', 1, 'question 1', 'first_words', 'default', ?, ?)`,
      TIME,
      TIME + rounds + 5,
    );
    for (let n = 1; n <= rounds; n++) {
      run(
        `insert into turns (turn_id, task_id, state, message, metadata, request, started_at, ended_at)
           values (?, 'task-1', 'completed', ?, '{"a":1}', '{}', ?, ?)`,
        `turn_${n}`,
        `question ${n}`,
        TIME + n,
        TIME + n + 5,
      );
      const said = (role: string, content: unknown) =>
        run(
          "insert into messages (task_id, turn_id, branch, role, created_at, content) values ('task-1', ?, 1, ?, 1, ?)",
          `turn_${n}`,
          role,
          JSON.stringify(content),
        );
      said("user", `question ${n}\u2028 "quoted" 你好`);
      said("assistant", [{ kind: "text", text: `answer ${n}` }]);
      if (n === 2) {
        const context = [
          { kind: "context", name: "page", content: "/", ttl: "task" },
          { kind: "context", name: "page", content: "/", ttl: "task", repeated: true },
        ];
        const asked = JSON.stringify([{ id: "", tool: "submit_result", output: "the result?", isError: true }]);
        const parts = JSON.stringify([{ kind: "text", text: "question 2" }, ...context]);
        run("update messages set content = ? where turn_id = 'turn_2' and role = 'user'", parts);
        run("update turns set output = '{\"answer\":2}' where turn_id = 'turn_2'");
        run(
          "insert into messages (task_id, turn_id, branch, role, created_at, content) values ('task-1', 'turn_2', 1, 'tool', 1, ?)",
          asked,
        );
      }
      run(
        `insert into episodes (id, task_id, turn_id, key, description, question, answer, importance, source, trust, event_time, created_at)
           values (?, 'task-1', ?, ?, 'd', ?, ?, 3, 'conversation', 1, ?, ?)`,
        `ep_${n}`,
        `turn_${n}`,
        `question ${n}`,
        `question ${n}`,
        `answer ${n}`,
        TIME + n,
        TIME + n + 5,
      );
      run(
        `insert into trajectories (id, task_id, turn_id, outcome, error_code, steps, usage, trust, duration_ms, created_at, batch_id)
           values (?, 'task-1', ?, 'completed', null, '[{"tool":"list_files","input":"{}","output":"","ok":true}]',
             '{"inputTokens":1,"outputTokens":2,"cacheHitTokens":0}', 1, 5, ?, 'lb_1')`,
        `tr_${n}`,
        `turn_${n}`,
        TIME + n,
      );
    }
    run(`insert into recalls (turn_id, block, trust, created_at) values ('turn_1', 'recalled', 1, ?)`, TIME);
    run(
      `insert into hitl_requests (request_id, task_id, turn_id, tool_call_id, kind, question, context, options, allow_free_text, created_at, answer, resolved_at)
         values ('hitl-1', 'task-1', 'turn_1', 'c1', 'question', 'Which?', '{}', '["a","b"]', 1, ?, 'a', ?)`,
      TIME,
      TIME + 1,
    );
    run(`insert into plan_items (task_id, position, text, status) values ('task-1', 0, 'first', 'completed')`);
    run(
      `insert into working_memory (task_id, turn_id, entry_type, content, created_at) values ('task-1', 'turn_1', 'note', 'the key is under the mat', ?)`,
      TIME,
    );
    const fact = `insert into knowledge (id, content, subject, predicate, object, hash, importance, confidence, source, trust, valid_from, valid_to, recorded_from, recorded_to, superseded_by)
                  values (?, ?, 'user', 'lives in', ?, ?, 5, 0.9, 'user', 3, ?, ?, ?, ?, null)`;
    run(fact, "kn_old", "The user lives in Bern.", "Bern", "h-bern", TIME - 1000, TIME, TIME - 500, TIME + 3);
    run(fact, "kn_new", "The user lives in Oslo.", "Oslo", "h-oslo", TIME, null, TIME + 3, null);
    run("update knowledge set superseded_by = 'kn_new' where id = 'kn_old'");
    run(
      "insert into knowledge_evidence (knowledge_id, episode_id) values ('kn_new', 'ep_1'), ('kn_new', 'ep_2'), ('kn_old', 'ep_1')",
    );
    const node = `insert into social_nodes (id, name, type, summary, trust, mentions, first_seen, last_seen) values (?, ?, 'person', 's', 1, 2, ?, ?)`;
    run(node, "nd_a", "Anna", TIME, TIME + 1);
    run(node, "nd_b", "Bo", TIME, TIME + 1);
    run("insert into social_aliases (alias, node_id) values ('anna', 'nd_a'), ('annie', 'nd_a'), ('bo', 'nd_b')");
    run(
      `insert into social_edges (id, from_node, to_node, relation, trust, valid_from, recorded_from) values ('ed_1', 'nd_a', 'nd_b', 'sister of', 1, null, ?)`,
      TIME,
    );
    run("insert into social_mentions (node_id, ref) values ('nd_a', 'ep_1'), ('nd_b', 'note:1')");
    run(
      `insert into skill_drafts (id, name, signature, body, trust, state, trajectories, created_at, decided_at)
         values ('sd_1', 'skill', 'sig', 'body', 1, 'allowed', '["tr_1"]', ?, ?)`,
      TIME,
      TIME,
    );
  });
  store.close();
  return folder;
}

const headers = (engine: TestEngine) => ({ "x-engine-key": engine.key });

async function exported(engine: TestEngine): Promise<readonly Line[]> {
  const response = await fetch(`${engine.url}/memory/export`, { headers: headers(engine) });
  const text = await response.text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

interface Answered {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

async function imported(engine: TestEngine, body: string): Promise<Answered> {
  const response = await fetch(`${engine.url}/memory/import`, { method: "POST", headers: headers(engine), body });
  return { status: response.status, body: await response.json() };
}

const fileOf = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
/** Numbers of messages and branches are those of an engine: here they count from 1 in the order of the file. */
function records(lines: readonly Line[]): readonly Line[] {
  const numbers = new Map<string, string>();
  const numberOf = (id: string, prefix: string) => {
    if (!numbers.has(id)) numbers.set(id, `"${prefix}${numbers.size + 1}"`);
    return numbers.get(id) ?? "";
  };
  return lines
    .filter(({ type }) => type !== "header" && type !== "end")
    .map((line) => JSON.parse(JSON.stringify(line).replaceAll(/"(br_|msg_)\d+"/g, numberOf)) as Line);
}
/** As they are in a new engine: what was allowed there is not allowed here. */
const arrived = (lines: readonly Line[]) =>
  records(lines)
    .filter(({ type }) => type !== "compaction")
    .map((line) => (line.type === "skill_draft" ? { ...line, state: "proposed", decided_at: null } : line));

/** An export of such a folder. */
const lines = await (async () => {
  const source = await startEngine(t, { dataDir: remembering(t) });
  const all = await exported(source);
  await source.stop();
  return all;
})();

t.test(
  "an export imports elsewhere with the same ids, times, sources and trust, and a repeat changes nothing",
  async (t) => {
    t.match(lines[0], {
      type: "header",
      format: "orchd-memory",
      version: 2,
      user_id: "user",
      product: "test",
      exported_at: /Z$/,
    });
    t.match(lines.at(-1), {
      type: "end",
      counts: { turn: 3, message: 7, episode: 3, knowledge: 2, social_node: 2, social_edge: 1 },
    });
    t.match(
      lines.find(({ id }) => id === "kn_old"),
      {
        type: "knowledge",
        source: "user",
        trust: "user",
        valid_to: "2026-03-01T10:00:00.123Z",
        superseded_by: "kn_new",
        evidence: ["ep_1"],
      },
    );
    const second = await startEngine(t);
    const answer = await imported(second, fileOf(lines));
    t.match(answer, {
      status: 200,
      body: { imported: { turn: 3, message: 7, episode: 3, knowledge: 2, social_mention: 2, skill_draft: 1 } },
    });
    t.same(records(await exported(second)), arrived(lines));
    t.match(
      (await second.call("/turns/turn_2")).body,
      { output: { answer: 2 } },
      "the result of a turn with an output schema comes along",
    );
    const again = await imported(second, fileOf(lines));
    t.match(again, { status: 200, body: { imported: {}, skipped: { turn: 3, message: 7, knowledge: 2, working: 1 } } });
    t.same(records(await exported(second)), arrived(lines));
    t.match(
      (await second.turn("task-1", "/say and on")).at(-1),
      { data: { phase: "completed" } },
      "its conversation goes on",
    );
    const third = await startEngine(t);
    const [end] = lines.slice(-1) as [Line];
    const { task: _task, branch: _branch, ...counts } = end["counts"] as Readonly<Record<string, number>>;
    const earlier = [...lines.slice(0, -1), { ...end, counts }]
      .filter(({ type }) => type !== "task" && type !== "branch")
      .map(({ output: _, branch: _of, ...line }) =>
        line.type === "message"
          ? { ...line, id: undefined, created_at: undefined }
          : line.type === "turn"
            ? { ...line, usage: undefined }
            : line,
      );
    const file = fileOf(earlier);
    t.equal((await imported(third, file)).status, 200, "a file of an earlier release has no results and no tasks");
    const { body: task } = await third.call("/tasks/task-1");
    t.match(task, { title: "question 1", message_count: 6 }, "its tasks are made of their turns");
  },
);

t.test("an invalid file is rejected with line and field, and leaves nothing behind", async (t) => {
  const engine = await startEngine(t);
  const at = (type: string) => lines.findIndex((line) => line.type === type);
  const changed = (type: string, more: Record<string, unknown>) =>
    fileOf(lines.map((line, index) => (index === at(type) ? { ...line, ...more } : line)));
  const cases: readonly [string, string, RegExp][] = [
    ["nothing", "", /^line 1: expected the header/],
    ["no header", fileOf(lines.slice(1)), /^line 1: type: expected the header/],
    ["a newer file", changed("header", { version: 3 }), /^line 1: version: .*reads up to 2/],
    ["another format", changed("header", { format: "x" }), /^line 1: format: /],
    ["a cut file", fileOf(lines.slice(0, -1)), /^body: expected an end line/],
    ["a line in two", fileOf(lines).replace('"type":"episode"', '"type":"ep\nisode"'), /^line \d+: expected JSON/],
    [
      "a lost line",
      fileOf(lines.filter((_, index) => index !== at("message"))),
      /counts.message: expected 7 records, got 6/,
    ],
    ["more behind the end", fileOf([...lines, ...lines.slice(1, 2)]), /expected nothing after the end line/],
    ["an unknown type", changed("recall", { type: "reminder" }), /^line \d+: type: expected one of task, /],
    [
      "a wrong type",
      changed("episode", { importance: "high" }),
      new RegExp(`^line ${at("episode") + 1}: episode.importance: `),
    ],
    ["out of range", changed("episode", { importance: 11 }), /: episode.importance: /],
    ["a strange trust", changed("knowledge", { trust: "god" }), /: knowledge.trust: /],
    ["no time", changed("knowledge", { created_at: "yesterday" }), /: knowledge.created_at: expected an ISO/],
    ["an id of another sort", changed("episode", { id: "kn_1" }), /: episode.id: expected an id with the prefix ep_/],
    ["a message that is none", changed("message", { content: [{ kind: "text" }] }), /: message.content/],
    ["an answer of one string", changed("message", { role: "assistant" }), /: message.content: .*belongs to its role/],
    ["a count of what no file has", changed("end", { counts: { constructor: 3 } }), /: expected 3 records, got 0/],
    [
      "evidence that is not there",
      changed("knowledge", { evidence: ["ep_nowhere"] }),
      /: knowledge.evidence: expected a episode of the file or of this engine, got ep_nowhere/,
    ],
    ["an edge to nobody", changed("social_edge", { to: "nd_nobody" }), /: social_edge.to: .*nd_nobody/],
    ["not a list", "[1]\n", /^line 1: expected a JSON object/],
    ["a line without end", `${JSON.stringify(lines[0])}\n"${"x".repeat(9 * 1024 * 1024)}`, /^line 2: expected at most/],
    [
      "deep nesting",
      `${JSON.stringify(lines[0])}\n{"type":"turn","a":${"[".repeat(2000)}${"]".repeat(2000)}}`,
      /^line 2: expected at most 500 levels/,
    ],
  ];
  for (const [what, file, message] of cases) {
    const { status, body } = await imported(engine, file);
    t.equal(status, 400, what);
    t.match(body, { error: "INVALID_REQUEST", message }, what);
  }
  t.equal((await imported(engine, Buffer.from([0xff, 0xfe, 0x0a]).toString("latin1"))).status, 400);
  t.same(records(await exported(engine)), []);
  t.notOk(existsSync(join(engine.dataDir, "memory-import.db")));
});

t.test("notes with excessive numbers are renumbered and found", async (t) => {
  const ids = ["note:9007199254740991", "note:1099511627776", "note:0", "note:-5"];
  const file = lines.flatMap((line) => {
    if (line.type === "working")
      return ids.map((id) => ({ ...line, id, content: `the key is under the mat of ${id}` }));
    return [line.type === "end" ? { ...line, counts: { ...(line["counts"] as object), working: ids.length } } : line];
  });
  const engine = await startEngine(t);
  t.match(await imported(engine, fileOf(file)), { status: 200, body: { imported: { working: ids.length } } });
  await engine.turn("task-2", '/tool memory_note {"content":"the ladder is in the shed"}');
  for (const [query, found] of [
    ["key under the mat", ids.length],
    ["ladder in the shed", 1],
  ] as const) {
    const { status, body } = await engine.call("/memory/knowledge/search", { body: { query, kinds: ["note"] } });
    t.match({ status, found: body.results.length }, { status: 200, found }, query);
  }
  t.match((await exported(engine)).at(-1), { type: "end", counts: { working: ids.length + 1 } });
});

t.test("an imported open question is closed", async (t) => {
  const engine = await startEngine(t);
  const open = { answer: null, resolved_at: null };
  const file = fileOf(lines.map((line) => (line.type === "question" ? { ...line, ...open } : line)));
  t.match(await imported(engine, file), { status: 200, body: { skipped: { question: 1 } } });
  t.match(await engine.call("/hitl/pending"), { status: 200, body: { requests: [] } });
});

t.test("an existing item under another id replaces the imported one", async (t) => {
  const folder = t.testdir({});
  const store = openStore(folder);
  store.db.exec(`
    insert into knowledge (id, content, subject, predicate, object, hash, importance, confidence, source, trust, recorded_from)
      values ('kn_here', 'lives in Oslo', 'user', 'lives in', 'Oslo', 'h-oslo', 5, 1, 'user', 3, 1);
    insert into social_nodes (id, name, type, summary, trust, mentions, first_seen, last_seen) values ('nd_here', 'ANNA', 'person', '', 3, 7, 1, 1);
    insert into social_aliases (alias, node_id) values ('anna', 'nd_here');
    insert into working_memory (id, task_id, turn_id, entry_type, content, created_at) values (1, 'other', 'turn_x', 'note', 'mine', 1)`);
  store.close();
  const engine = await startEngine(t, { dataDir: folder });
  t.match(await imported(engine, fileOf(lines)), { status: 200, body: { skipped: { knowledge: 1, social_node: 1 } } });
  const merged = await exported(engine);
  const one = (id: string) => merged.find((line) => line["id"] === id);
  t.match(one("kn_here"), { evidence: ["ep_1", "ep_2"], content: "lives in Oslo" });
  t.match(one("kn_old"), { superseded_by: "kn_here" });
  t.match(one("ed_1"), { from: "nd_here", to: "nd_b" });
  t.match(one("nd_here"), { name: "ANNA", aliases: ["anna", "annie"], mention_count: 8 });
  t.same(
    merged.filter(({ type }) => type === "social_mention").map(({ node_id, ref }) => [node_id, ref]),
    [
      ["nd_b", "note:2"],
      ["nd_here", "ep_1"],
    ],
  );
});

t.test(
  "an import killed while running continues at the next start, one killed while reading leaves nothing",
  async (t) => {
    const source = await startEngine(t, { dataDir: remembering(t, { rounds: ROUNDS }) });
    const many = await exported(source);
    await source.stop();
    const file = fileOf(many);
    const dataDir = t.testdir({});
    const counted = () => {
      const db = new DatabaseSync(join(dataDir, "engine.db"), { readOnly: true });
      const count = (table: string) => Number(db.prepare(`select count(*) as n from ${table}`).get()?.["n"]);
      const state = db.prepare("select 1 from engine_state where name = 'import'").get() !== undefined;
      const counts = { state, turns: count("turns"), skills: count("skill_drafts") };
      db.close();
      return counts;
    };
    let engine = await startEngine(t, { dataDir });
    void imported(engine, file).catch(() => undefined);
    await until("the file is being read", () => existsSync(join(dataDir, "memory-import.db")));
    await engine.stop("SIGKILL");
    t.same(counted(), { state: false, turns: 0, skills: 0 });
    engine = await startEngine(t, { dataDir });
    t.same(records(await exported(engine)), []);
    t.notOk(existsSync(join(dataDir, "memory-import.db")), "what was read of the file is gone");
    for (let kill = 0; kill < 3; kill++) {
      if (kill === 0) void imported(engine, file).catch(() => undefined);
      const before = counted();
      await until(
        "some of it has been taken over",
        () => {
          const now = counted();
          return now.skills > 0 || now.turns > before.turns + 300 || (now.state && now.turns === ROUNDS);
        },
        60_000,
      );
      await engine.stop("SIGKILL");
      engine = await startEngine(t, { dataDir });
    }
    await until("all of it is here", () => !counted().state && counted().skills === 1, 60_000);
    t.same(records(await exported(engine)), arrived(many));
    t.notOk(existsSync(join(dataDir, "memory-import.db")));
  },
);

/** Everything of a folder's store as it lies on the disk. */
const raw = (dataDir: string) =>
  readdirSync(dataDir)
    .filter((name) => /^(engine\.|memory-)/.test(name))
    .map((name) => readFileSync(join(dataDir, name)).toString("latin1"))
    .join("\n");

t.test("an erasure leaves no trace in the store's files, keeps other data, and continues event numbers", async (t) => {
  const dataDir = remembering(t);
  const engine = await startEngine(t, { dataDir });
  const message = '/tool memory_note {"entry_type":"note","content":"planted-note"}\n/say planted-answer';
  const frames = await engine.turn("planted-task", message);
  const last = frames.at(-1)?.data.seq as number;
  t.match(raw(dataDir), /planted-note/);
  const workspace = join(dataDir, "workspace");
  mkdirSync(join(workspace, ".orch/outputs"), { recursive: true });
  writeFileSync(join(workspace, ".orch/outputs/call.txt"), "planted output");
  writeFileSync(join(workspace, "mine.txt"), "the user's own");
  for (const part of ["", "-wal"])
    writeFileSync(join(dataDir, `engine.db.corrupt-20260101T000000000Z${part}`), "planted before");
  const gone = await engine.call("/memory", { method: "DELETE" });
  t.match(gone, {
    status: 200,
    body: {
      erased: {
        turns: 4,
        episodes: 4,
        knowledge: 2,
        messages: Number,
        social_nodes: 2,
        events: Number,
        outputs: 1,
        stores_set_aside: 1,
      },
    },
  });
  for (const word of ["planted", "question 1", "under the mat", "Oslo", "Anna", "annie", "sister of"])
    t.notMatch(raw(dataDir), word);
  t.same(records(await exported(engine)), []);
  t.match(await engine.call(`/execute/replay?after=${last - 3}`), {
    body: { events: [], truncated: true, oldest_ts: null },
  });
  t.match(await engine.call(`/execute/replay?after=${last}`), { body: { events: [], truncated: false } });
  const [started] = await engine.turn("planted-task", "/say again");
  t.equal(started?.data.seq, last + 1);
  t.ok(started?.data.ts > frames.at(-1)?.data.ts);
  await engine.call("/memory", { method: "DELETE" });
  await engine.stop();
  const next = await startEngine(t, { dataDir });
  const [later] = await next.turn("planted-task", "/say again");
  t.ok(later?.data.seq > started?.data.seq, "after a restart too");
});

t.test("an erasure is refused with the turn in flight, and no turn starts during it", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "busy", message: "/slow 60000" });
  await stream.first("thread_lifecycle");
  t.match(await engine.call("/memory", { method: "DELETE" }), {
    status: 409,
    body: { error: "TASK_BUSY", details: { turn_id: stream.headers["x-turn-id"], turns: [{ task_id: "busy" }] } },
  });
  await engine.call("/execute/cancel", { body: { task_id: "busy" } });
  await stream.all();
  const [gone, ...turns] = await Promise.all([
    engine.call("/memory", { method: "DELETE" }),
    ...Array.from({ length: 20 }, (_, n) => engine.call("/execute", { body: { task_id: `t${n}`, message: "/say x" } })),
  ]);
  t.ok([200, 409].includes(gone.status));
  t.ok(turns.every(({ status }) => status === 200 || status === 503));
  t.match((await engine.turn("after", "/say it goes on")).at(-1), { data: { phase: "completed" } });
});

t.test("the next start finishes an interrupted erasure", async (t) => {
  const dataDir = remembering(t);
  const store = openStore(dataDir);
  store.state.set("erasure", { at: Date.now() });
  store.db.exec(
    "pragma foreign_keys = off; delete from messages; delete from knowledge; delete from episodes; delete from turns",
  );
  store.close();
  const engine = await startEngine(t, { dataDir });
  t.equal((await engine.call("/hitl/pending")).status, 200);
  t.notMatch(raw(dataDir), /answer 1|Oslo/);
});

t.test("an erasure does not follow a link in place of the outputs folder", async (t) => {
  const [dataDir, elsewhere] = [freshFolder(t), freshFolder(t)];
  mkdirSync(join(elsewhere, "outputs"));
  writeFileSync(join(elsewhere, "outputs/precious"), "not ours");
  const engine = await startEngine(t, { dataDir });
  await engine.call("/hitl/pending");
  symlinkSync(elsewhere, join(dataDir, "workspace/.orch"));
  t.equal((await engine.call("/memory", { method: "DELETE" })).status, 200);
  t.ok(existsSync(join(elsewhere, "outputs/precious")));
  unlinkSync(join(dataDir, "workspace/.orch"));
  mkdirSync(join(dataDir, "workspace/.orch"));
  symlinkSync(join(elsewhere, "outputs"), join(dataDir, "workspace/.orch/outputs"));
  t.equal((await engine.call("/memory", { method: "DELETE" })).status, 200);
  t.ok(existsSync(join(elsewhere, "outputs/precious")));
});

t.test("an erasure killed at any point leaves all or nothing", async (t) => {
  let [whole, gone] = [0, 0];
  const before = remembering(t, { rounds: ROUNDS });
  for (const afterMs of [0, 10, 40]) {
    const dataDir = freshFolder(t);
    cpSync(before, dataDir, { recursive: true });
    const engine = await startEngine(t, { dataDir });
    await engine.call("/hitl/pending");
    void engine.call("/memory", { method: "DELETE" }).catch(() => undefined);
    await sleep(afterMs);
    await engine.stop("SIGKILL");
    const next = await startEngine(t, { dataDir });
    const left = records(await exported(next)).length;
    if (left > 0) whole++;
    else gone++;
    if (left > 0) t.ok(left > 4 * ROUNDS, "all of it");
    else t.notMatch(raw(dataDir), /question 1|Oslo|under the mat/, `no trace after a kill at ${afterMs} ms`);
    await next.stop("SIGKILL");
  }
  t.comment(`${whole} times before it, ${gone} times in it or behind it`);
});

t.test("an export reader that stops reading is dropped and releases the store", async (t) => {
  const store = openStore(freshFolder(t));
  const insert = store.db.prepare(
    "insert into working_memory (task_id, turn_id, entry_type, content, created_at) values ('t', 'turn_1', 'note', ?, 1)",
  );
  store.transaction(() => {
    for (let n = 0; n < 3000; n++) insert.run("long ".repeat(2000));
  });
  const parts = engineParts(t, { store });
  const url = await servedParts(t, parts, { maxQueuedMs: 300 });
  const stuck = await openStream(url, "/memory/export", { headers: { "x-engine-key": KEY } }).catch(() => null);
  stuck?.pause();
  const wal = () => store.db.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"];
  store.db.exec("pragma busy_timeout = 0");
  t.equal(wal(), 1, "it reads");
  await until("it has been cut off", () => wal() === 0);
});

t.test("no export starts during an erasure", async (t) => {
  const store = openStore(remembering(t));
  t.teardown(() => store.close());
  const portability = new MemoryPortability({
    store,
    workspaceDir: join(store.dataDir, "workspace"),
    lane: new WriteLane(store),
    reindex: () => Promise.resolve(),
  });
  const header = { type: "header", format: "orchd-memory", version: 1, engine_version: "1" } as const;
  const owner = { engine_id: "eng_1", user_id: "user", product: "test", exported_at: new Date(TIME).toISOString() };
  const erasing = portability.erase({ isLearning: () => false, lastEvent: () => ({ seq: 1, ts: TIME }) });
  t.same(portability.export({ ...header, ...owner }), { kind: "busy", with: "erasure" });
  t.match(await erasing, { kind: "done", answer: { erased: { episodes: 3 } } });
  t.match(portability.export({ ...header, ...owner }), { kind: "exporting" });
});

t.test("a conversation that was rewound and forked arrives as it was, beside one that is there", async (t) => {
  const folder = freshFolder(t);
  const store = openStore(folder);
  const [tasks, messages, branches] = [new TaskTable(store), new MessageTable(store), new BranchTable(store)];
  const turns = new TurnTable(store);
  let number = 0;
  const say = (taskId: string, text: string): number => {
    const turnId = `turn_${++number}`;
    const at = TIME + number;
    const usage = { inputTokens: number, outputTokens: 1, cacheHitTokens: 0 };
    tasks.turnStarted(taskId, { agent: "default", message: text, at });
    turns.insert({ turnId, taskId, message: text, metadata: {}, request: {}, startedAt: at });
    messages.append(taskId, { turnId, role: "user", content: text }, "", at);
    messages.append(taskId, { turnId, role: "assistant", content: [{ kind: "text", text: `${text}!` }] }, "", at);
    turns.end(turnId, { errorCode: null, endedAt: at, usage, output: null });
    tasks.turnEnded(taskId, { at, usage });
    return messages.ofTask(taskId).at(-1)?.id ?? 0;
  };
  store.transaction(() => {
    const one = say("a", "one");
    say("a", "left behind");
    tasks.continueFrom("a", { branchId: branches.ofTask("a").at(-1)?.branchId ?? 0, through: one }, TIME);
    const two = say("a", "two");
    tasks.fork("a", {
      taskId: "b",
      prefix: { branchId: branches.ofTask("a").at(-1)?.branchId ?? 0, through: two },
      after: two - 1,
      messageCount: null,
      at: TIME,
    });
    say("a", "three");
    say("b", "four");
    tasks.change("b", { title: "A fork", titleSource: "user", archived: true, metadata: { folder: "work" } });
  });
  store.close();
  const source = await startEngine(t, { dataDir: folder });
  const file = await exported(source);
  const second = await startEngine(t);
  await second.turn("own", "/say own words");
  t.match(await imported(second, fileOf(file)), {
    status: 200,
    body: { imported: { task: 2, branch: 3, message: 10 } },
  });
  const textOf = async (engine: TestEngine, task: string) => {
    const { body } = await engine.call(`/tasks/${task}/messages`);
    return body.items.map(({ message_id: _, parts, ...message }: Record<string, unknown>) => ({ parts, ...message }));
  };
  for (const task of ["a", "b"]) {
    t.same(await textOf(second, task), await textOf(source, task));
    const [here, there] = [await second.call(`/tasks/${task}`), await source.call(`/tasks/${task}`)];
    const withoutNumbers = ({ parent, ...record }: Record<string, unknown>) => ({ ...record, isFork: parent !== null });
    t.same(withoutNumbers(here.body), withoutNumbers(there.body));
  }
  t.equal((await textOf(second, "own")).length, 2);
  t.match(await imported(second, fileOf(file)), {
    status: 200,
    body: { imported: {}, skipped: { task: 2, branch: 3 } },
  });
  await second.turn("a", "/say five");
  t.equal((await textOf(second, "a")).length, (await textOf(source, "a")).length + 2);
});
