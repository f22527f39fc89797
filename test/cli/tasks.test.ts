import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { engine, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEYS = { ORCH_PLATFORM_KEY: "orchp_x", ORCH_ENGINE_KEY: "sk-orch-x" };
const usage = { input_tokens: 10, output_tokens: 2, cache_hit_tokens: 0 };
const AT = "2026-11-24T08:00:00.000Z";
const task = {
  task_id: "t1",
  title: "Offers\u001b[2J",
  title_source: "model",
  agent: "default",
  created_at: AT,
  last_active_at: AT,
  message_count: 2,
  state: "idle",
  open_requests: 0,
  usage,
  archived: false,
  metadata: { folder: "work" },
  parent: null,
};
const message = (number: number, role: string, parts: readonly object[]) => ({
  message_id: `msg_${number}`,
  role,
  turn_id: "turn_1",
  created_at: AT,
  parts,
  usage: null,
  status: "completed",
});
const said = message(1, "user", [{ type: "text", text: "Which printer?" }]);
const answered = message(2, "assistant", [
  {
    type: "tool",
    tool_call_id: "c1",
    tool: "read_file",
    input: { path: "a" },
    status: "failed",
    output: null,
    error: "gone",
  },
  { type: "text", text: "The small one." },
]);

async function start(t: Test) {
  const server = await startFakeServer(t);
  server.on("GET /engines/alice", { body: engine({ url: server.url }) });
  const orchctl = orchctlFor(t, server);
  return { server, run: (...args: string[]) => orchctl(["tasks", ...args], { env: KEYS }) };
}

t.test("lists conversations by what they are about, and names the next page", async (t) => {
  const { server, run } = await start(t);
  server.on("GET /tasks", { body: { items: [task], next_cursor: "abc" } });
  const ran = await run("list", "alice", "--search", "printer offer", "--metadata", "folder=work", "--all");
  t.equal(ran.code, 0, ran.stderr);
  t.match(ran.stdout, /ACTIVE +STATE +MESSAGES +TITLE +TASK\n.* idle +2 +Offers\\u\{1b\}\[2J +t1\n/);
  t.match(ran.stderr, /--cursor abc/);
  const { searchParams } = new URL(server.calls.at(-1)?.path ?? "", server.url);
  t.same(Object.fromEntries(searchParams), {
    q: "printer offer",
    archived: "any",
    "metadata.folder": "work",
    limit: "50",
  });
  t.equal((await run("list", "alice", "--metadata", "folder")).code, 2);
});

t.test("shows a conversation with its messages and what waits", async (t) => {
  const { server, run } = await start(t);
  server.on("GET /tasks/t1", { body: task });
  server.on("GET /tasks/t1/messages", { body: { items: [said, answered], before: null, after: null } });
  server.on("GET /tasks/t1/inbox", {
    body: {
      messages: [
        { message_id: "m1", position: 1, when_busy: "queue", text: "And toner?", agent: "default", created_at: AT },
      ],
    },
  });
  const { stdout } = await run("show", "alice", "t1");
  t.match(stdout, /user, 2026-11-24.*\n {2}Which printer\?/);
  t.match(stdout, /▸ read_file \{"path":"a"\}: gone\n {2}The small one\./);
  t.match(stdout, /waits 1: And toner\?/);
});

t.test("renames, archives and deletes", async (t) => {
  const { server, run } = await start(t);
  server.on("PATCH /tasks/t1", ({ body }) => ({ body: { ...task, ...body } }));
  t.equal((await run("rename", "alice", "t1", "New", "printers")).stdout, "t1 is now “New printers”\n");
  t.same(server.calls.at(-1)?.body, { title: "New printers" });
  t.equal((await run("archive", "alice", "t1")).stdout, "t1 is archived\n");
  t.equal((await run("archive", "alice", "t1", "--undo")).stdout, "t1 is in lists again\n");
  server.on("DELETE /tasks/t1", {
    body: { task_id: "t1", deleted: { messages: 2 }, kept_messages: 0, forgotten: { facts: 1 } },
  });
  t.equal((await run("delete", "alice", "t1")).code, 2, "without a terminal it needs --yes");
  const gone = await run("delete", "alice", "t1", "--forget", "--yes");
  t.equal(gone.stdout, "deleted t1: 2 messages; forgotten: 1 facts\n");
  t.equal(server.calls.at(-1)?.path, "/tasks/t1?forget=true");
});

t.test("exports the record and every message, the oldest first", async (t) => {
  const { server, run } = await start(t);
  server.on("GET /tasks/t1", { body: task });
  server.on("GET /tasks/t1/messages", ({ path }) => ({
    body: path.includes("before=")
      ? { items: [said], before: null, after: "msg_1" }
      : { items: [answered], before: "msg_2", after: null },
  }));
  const file = join(t.testdir({}), "t1.jsonl");
  t.equal((await run("export", "alice", "t1", "--output", file)).stdout, `${file} has 2 messages\n`);
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  t.same(lines, [
    { type: "task", ...task },
    { type: "message", ...said },
    { type: "message", ...answered },
  ]);
});
