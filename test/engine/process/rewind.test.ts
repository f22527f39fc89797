import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { GrantTable } from "../../../src/engine/store/grants.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { type EngineOptions, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

/** An engine whose tools may write these files and run these commands without asking. */
async function engineOf(
  t: Test,
  {
    files = [],
    commands = [],
    policy,
  }: { files?: readonly string[]; commands?: readonly string[]; policy?: EngineOptions["policy"] },
) {
  const dataDir = freshFolder(t, "engine");
  mkdirSync(join(dataDir, "workspace"), { recursive: true });
  const store = openStore(dataDir);
  const grants = new GrantTable(store);
  for (const pattern of files)
    for (const tool of ["write_file", "edit_file"]) grants.insert({ tool, pattern, taskId: null }, 1);
  for (const pattern of commands) grants.insert({ tool: "run_command", pattern, taskId: null }, 1);
  store.close();
  return startEngine(t, { dataDir, ...(policy && { policy }) });
}

/** The rows of a task, by whom and what. */
function rows(engine: TestEngine, taskId: string): { id: string; role: string; text: string }[] {
  const db = new DatabaseSync(join(engine.dataDir, "engine.db"), { readOnly: true });
  try {
    return db
      .prepare("select id, role, content from messages where task_id = ? and thread = '' order by id")
      .all(taskId)
      .map(({ id, role, content }) => ({ id: `msg_${String(id)}`, role: String(role), text: String(content) }));
  } finally {
    db.close();
  }
}
const idOf = (engine: TestEngine, taskId: string, text: string): string =>
  rows(engine, taskId).findLast((row) => row.text.includes(text))?.id ?? "none";

/** What the model was sent in the first call of the last turn of a task, without what it recalls of other turns. */
async function shown(engine: TestEngine, taskId: string): Promise<string> {
  const { body } = await engine.call(`/turns?task_id=${taskId}&limit=1`);
  const { body: request } = await engine.call(`/turns/${body.items[0].turn_id}/requests/1`);
  return JSON.stringify(request.body.messages, (key, value: unknown) => (key === "recalled" ? undefined : value));
}
const rewind = (engine: TestEngine, taskId: string, body: object) => engine.call(`/tasks/${taskId}/rewind`, { body });
const fork = (engine: TestEngine, taskId: string, body: object = {}) => engine.call(`/tasks/${taskId}/fork`, { body });
const say = (text: string) => `/say ${text}`;

t.test("edit and resend, and regenerate, on top of a rewind", async (t) => {
  const engine = await engineOf(t, {});
  await engine.turn("a", say("one"));
  await engine.turn("a", say("two"));
  await engine.turn("a", say("three"));
  const second = idOf(engine, "a", "/say two");
  const edited = await rewind(engine, "a", { to_message: second, keep: false });
  t.match(edited, { status: 200, body: { task_id: "a", dry_run: false, left_branch: "branch_1", files: null } });
  await engine.turn("a", say("edited"));
  const text = await shown(engine, "a");
  t.ok(text.includes("/say one") && text.includes("/say edited"));
  t.notOk(text.includes("/say two") || text.includes("/say three"));

  const last = idOf(engine, "a", "/say edited");
  t.match(await rewind(engine, "a", { to_message: last }), { status: 200, body: { last_message: last } });
  const again = await engine.execute({ task_id: "a", regenerate: true });
  t.match((await again.all()).at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
  const regenerated = await shown(engine, "a");
  t.equal(regenerated.split("/say edited").length, 2, "the message is asked once");
  t.ok(regenerated.includes("/say one"));

  const answer = idOf(engine, "a", "edited");
  t.match(await rewind(engine, "a", { to_message: answer }), { body: { left_branch: null, last_message: answer } });
  t.equal(rows(engine, "a").filter(({ role }) => role === "user").length, 5, "all that was said stays stored");
});

t.test("bad calls name their field, and change nothing", async (t) => {
  const engine = await engineOf(t, {});
  await engine.turn("a", say("one"));
  const before = rows(engine, "a");
  const invalid = async (path: string, body: object, message: RegExp) =>
    t.match(await engine.call(path, { body }), { status: 400, body: { error: "INVALID_REQUEST", message } });
  await invalid("/execute", { task_id: "a" }, /^message: required, expected a string/);
  await invalid("/execute", { task_id: "a", message: "x", regenerate: true }, /^regenerate: expected no message/);
  await invalid("/execute", { task_id: "a", regenerate: true }, /^regenerate: expected a task whose last message is/);
  await invalid("/execute", { task_id: "new", regenerate: true }, /^regenerate: /);
  const again = { task_id: "a", regenerate: true };
  await invalid("/execute", { ...again, when_busy: "queue" }, /^when_busy: expected reject/);
  await invalid("/execute", { ...again, message_id: "m1" }, /^message_id: expected none/);
  await invalid("/tasks/a/rewind", {}, /^to_message: /);
  await invalid("/tasks/a/rewind", { to_message: "12" }, /^to_message: expected a message_id/);
  await invalid("/tasks/a/rewind", { to_message: "msg_1", files: "all" }, /^files: /);
  await invalid("/tasks/a/fork", { after_message: 7 }, /^after_message: /);
  await invalid("/tasks/a/fork", { task_id: "" }, /^task_id: /);
  const missing = async (path: string, body: object) =>
    t.match(await engine.call(path, { body }), { status: 404, body: { error: "NOT_FOUND" } });
  await missing("/tasks/none/rewind", { to_message: "msg_1" });
  await missing("/tasks/none/fork", {});
  await missing("/tasks/a/rewind", { to_message: "msg_999" });
  await missing("/tasks/a/fork", { after_message: "msg_999" });
  t.match(await fork(engine, "a", { task_id: "a" }), { status: 409, body: { error: "TASK_EXISTS" } });
  t.strictSame(rows(engine, "a"), before);
});

t.test("a fork goes on from a message, and neither task sees what the other says next", async (t) => {
  const engine = await engineOf(t, {});
  await engine.turn(
    "a",
    `${say("one")}\n/tool plan {"items":[{"text":"first","status":"completed"},{"text":"second"}]}`,
  );
  const answer = idOf(engine, "a", "one");
  await engine.turn("a", `/tool plan {"items":[{"text":"other"}]}\n${say("two")}`);
  const made = await fork(engine, "a", { after_message: answer, task_id: "b" });
  t.match(made, { status: 200, body: { task_id: "b", parent: { task_id: "a" }, message_count: 2 } });
  await engine.turn("b", "/tool plan {}\n/say three");
  const text = await shown(engine, "b");
  t.ok(text.includes("/say one") && !text.includes("/say two"));
  t.ok(idOf(engine, "b", "1. [x] first") !== "none", "the plan is that of the message");
  await engine.turn("a", "/tool plan {}\n/say four");
  t.notOk((await shown(engine, "a")).includes("three"));
  t.ok(idOf(engine, "a", "1. [ ] other") !== "none");
  const whole = await fork(engine, "a");
  t.match(whole.body, { task_id: /^task_/, message_count: 6 });
  t.match(await fork(engine, "a", { task_id: "b" }), { status: 409 });
});

t.test("a rewind waits for no turn, and a turn in flight is forked without", async (t) => {
  const engine = await engineOf(t, {});
  await engine.turn("a", say("one"));
  const answer = idOf(engine, "a", "one");
  const stream = await engine.execute({ task_id: "a", message: "/ask Which one? | left | right" });
  const { data } = await stream.first("hitl_request");
  t.match(await rewind(engine, "a", { to_message: answer }), { status: 409, body: { error: "TASK_BUSY" } });
  t.match((await fork(engine, "a", { task_id: "b" })).body, { message_count: 2, parent: { after_message: answer } });
  const asked = idOf(engine, "a", "Which one");
  const running = rows(engine, "a").findLast(({ role }) => role === "assistant")?.id;
  t.match(await fork(engine, "a", { after_message: running }), { status: 409, body: { error: "TASK_BUSY" } });
  const opening = rows(engine, "a").find(({ role, text }) => role === "user" && text.includes("Which"))?.id;
  t.match((await fork(engine, "a", { after_message: opening })).body, { message_count: 3 });
  t.ok(asked !== "none");
  await engine.call("/hitl/respond", { body: { request_id: data.request_id, answer: "left" } });
  await stream.all();
  t.match(await rewind(engine, "a", { to_message: answer }), { status: 200 });
});

t.test("files come back with a rewind; what others changed only by force", async (t) => {
  const command = "echo changed > foreign.txt; echo x > made.txt";
  const engine = await engineOf(t, { files: ["a.txt", "b.txt"], commands: [command] });
  const at = (name: string) => join(engine.dataDir, "workspace", name);
  writeFileSync(at("a.txt"), "before");
  writeFileSync(at("foreign.txt"), "before");
  await engine.turn("a", say("start"));
  const start = idOf(engine, "a", "start");
  await engine.turn("a", '/tool write_file {"path":"a.txt","content":"after"}\n/say done');
  await engine.turn("a", '/tool write_file {"path":"b.txt","content":"new"}\n/say done');
  await engine.turn("a", `/tool run_command ${JSON.stringify({ command })}\n/say done`);
  t.equal(readFileSync(at("a.txt"), "utf8"), "after");
  const dry = await rewind(engine, "a", { to_message: start, files: "restore", dry_run: true });
  t.match(dry.body, {
    dry_run: true,
    files: {
      counts: { restorable: 3, not_captured: 1, changed_by_others: 0, not_compared: 0, failed: 0 },
      not_captured: [{ path: "foreign.txt", reason: "by_command" }],
    },
  });
  t.equal(readFileSync(at("a.txt"), "utf8"), "after", "a dry run changes nothing");
  writeFileSync(at("b.txt"), "of the user");
  const refused = await rewind(engine, "a", { to_message: start, files: "restore" });
  t.match(refused, { status: 409, body: { error: "FILES_CHANGED", details: { paths: ["b.txt"], count: 1 } } });
  t.equal(readFileSync(at("a.txt"), "utf8"), "after", "a refusal changes nothing");
  const forced = await rewind(engine, "a", { to_message: start, files: "restore", force: true });
  t.match(forced, { status: 200, body: { dry_run: false, files: { counts: { failed: 0 } } } });
  t.equal(readFileSync(at("a.txt"), "utf8"), "before");
  t.strictSame([existsSync(at("b.txt")), existsSync(at("made.txt"))], [false, false]);
  t.equal(readFileSync(at("foreign.txt"), "utf8"), "changed\n", "what was not captured stays");
  await engine.turn("a", say("next"));
  t.notOk((await shown(engine, "a")).includes("write_file"));
});

t.test("a rewind that is killed in the middle of its files is completed by the same call", async (t) => {
  const files = Array.from({ length: 200 }, (_, at) => `f${at}.txt`);
  const engine = await engineOf(t, { files });
  const folder = join(engine.dataDir, "workspace");
  for (const name of files) writeFileSync(join(folder, name), `before ${name}`);
  await engine.turn("a", say("start"));
  const start = idOf(engine, "a", "start");
  const calls = files.map((path) => `/tool write_file ${JSON.stringify({ path, content: `after ${path}` })}`);
  await engine.turn("a", `${calls.join("\n")}\n/say done`);
  const restored = () => files.filter((name) => readFileSync(join(folder, name), "utf8").startsWith("before")).length;
  t.equal(restored(), 0);
  const call = rewind(engine, "a", { to_message: start, files: "restore" }).catch(() => null);
  await until("some files are restored", () => restored() > 0);
  await engine.stop("SIGKILL");
  await call;
  const done = restored();
  t.ok(done < files.length, `${done} files were restored when it was killed`);
  t.ok(rows(engine, "a").length > 2);
  const next = await startEngine(t, { dataDir: engine.dataDir, key: engine.key });
  const dry = await rewind(next, "a", { to_message: start, files: "restore", dry_run: true });
  t.match(dry.body.files.counts, { changed_by_others: 0, restorable: files.length - done });
  const again = await rewind(next, "a", { to_message: start, files: "restore" });
  t.match(again, { status: 200, body: { left_branch: "branch_1", files: { counts: { failed: 0 } } } });
  t.equal(restored(), files.length);
  t.notOk(
    readdirSync(folder).some((name) => name.startsWith(".orch-draft")),
    "no draft is left",
  );
  t.match(await rewind(next, "a", { to_message: start, files: "restore" }), {
    body: { left_branch: null, files: { counts: { restorable: 0 } } },
  });
});

t.test("a fork restores the files of the messages that it shares, also when the other task is deleted", async (t) => {
  const engine = await engineOf(t, { files: ["a.txt", "b.txt"] });
  const file = join(engine.dataDir, "workspace/a.txt");
  writeFileSync(file, "before");
  await engine.turn("a", say("start"));
  const start = idOf(engine, "a", "start");
  await engine.turn("a", '/tool write_file {"path":"a.txt","content":"shared"}\n/say done');
  t.match(await fork(engine, "a", { task_id: "b" }), { status: 200 });
  await engine.turn("a", '/tool write_file {"path":"b.txt","content":"of the other"}\n/say done');
  const planned = { to_message: start, files: "restore", dry_run: true };
  const shared = { restorable: [{ path: "a.txt", action: "write" }], changed_by_others: [], not_compared: [] };
  t.match((await rewind(engine, "b", planned)).body.files, shared);
  t.match(await engine.call("/tasks/a", { method: "DELETE" }), { status: 200, body: { kept_messages: 6 } });
  t.strictSame(readdirSync(join(engine.dataDir, "checkpoints")).length, 2, "what only the other task kept is gone");
  t.match((await rewind(engine, "b", planned)).body.files, shared);
  t.match(await rewind(engine, "b", { ...planned, dry_run: false }), { status: 200 });
  t.equal(readFileSync(file, "utf8"), "before");
});

t.test("a command that a kill interrupted is told as not compared", async (t) => {
  const command = "echo x > made.txt; sleep 60";
  const engine = await engineOf(t, { commands: [command] });
  await engine.turn("a", say("start"));
  const start = idOf(engine, "a", "start");
  const stream = await engine.execute({
    task_id: "a",
    message: `/tool run_command ${JSON.stringify({ command })}\n/say done`,
  });
  await until("the command runs", () => existsSync(join(engine.dataDir, "workspace/made.txt")));
  await engine.stop("SIGKILL");
  stream.cut();
  const next = await startEngine(t, { dataDir: engine.dataDir, key: engine.key });
  const dry = () => rewind(next, "a", { to_message: start, files: "restore", dry_run: true });
  await until("the turn has ended", async () => (await dry()).status === 200);
  t.match((await dry()).body.files, {
    not_compared: [{ tool_call_id: /./, turn_id: /^turn_/, reason: "interrupted" }],
  });
});

t.test("a policy without checkpoints keeps no content of files", async (t) => {
  const limits = { max_processes: 256, memory_mb: 1024, disk_mb: 2048, checkpoint_mb: 0 };
  const engine = await engineOf(t, { files: ["a.txt"], policy: { limits } });
  writeFileSync(join(engine.dataDir, "workspace/a.txt"), "before");
  await engine.turn("a", say("start"));
  await engine.turn("a", '/tool write_file {"path":"a.txt","content":"after"}\n/say done');
  const to = idOf(engine, "a", "start");
  const { body } = await rewind(engine, "a", { to_message: to, files: "restore", dry_run: true });
  t.match(body.files, { restorable: [], not_captured: [{ path: "a.txt", reason: "switched_off" }] });
});
