import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ask } from "../../helpers/api.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";

const dataDir = freshFolder(t, "artifacts");
const workspace = join(dataDir, "workspace");
mkdirSync(workspace);
const file = t;
let engine = await startEngine(t, { dataDir });
const call = (path: string, options: Parameters<typeof ask>[2] = {}) => engine.call(path, options);
const publish = (task: string, path: string, title: string) =>
  engine.turn(task, `/tool publish_file ${JSON.stringify({ path, title })}\n/say done`);
const artifactsOf = async (task: string) => (await call(`/tasks/${task}/artifacts`)).body.items;

t.test("each publication is a version whose content stays", async (t) => {
  writeFileSync(join(workspace, "report.md"), "# first");
  await publish("t1", "report.md", "Report");
  writeFileSync(join(workspace, "report.md"), "# second");
  await publish("t1", "report.md", "Report");
  writeFileSync(join(workspace, "report.md"), "# not published");
  const [second, first] = await artifactsOf("t1");
  t.match(
    [first, second],
    [
      {
        path: "report.md",
        title: "Report",
        version: 1,
        bytes: 7,
        media_type: "text/markdown; charset=utf-8",
        kept: true,
      },
      { version: 2, bytes: 8, task_id: "t1", kept: true },
    ],
  );
  t.match(await call(`/files/content?artifact_id=${first.artifact_id}`), {
    text: "# first",
    headers: { etag: `"${first.digest}"`, "content-disposition": /report\.md/ },
  });
  t.equal((await call(`/files/content?artifact_id=${second.artifact_id}`)).text, "# second");
  t.equal((await call(`/files/content?artifact_id=${first.artifact_id}&path=report.md`)).body.error, "INVALID_REQUEST");
});

t.test("an artifact is a part of the message in which it was published", async (t) => {
  const { body } = await call("/tasks/t1/messages");
  const parts = body.items.flatMap((message: { parts: readonly object[] }) => message.parts);
  const [{ type, ...shown }] = parts.filter((part: { type: string }) => part.type === "artifact");
  const [, first] = await artifactsOf("t1");
  t.equal(type, "artifact");
  t.same({ ...shown, kept: true }, first);
});

t.test("what cannot be published is an error for the model, and no artifact", async (t) => {
  for (const path of ["missing.md", ".", "../x"]) {
    const events = await publish("t2", path, "Nothing");
    const result = events.find(({ event }) => event === "tool_result");
    t.type(result?.data.error, "string", path);
  }
  t.same(await artifactsOf("t2"), []);
});

t.test("artifacts survive kill -9, and go with their task unless a fork shows them", async (t) => {
  await engine.stop("SIGKILL");
  engine = await startEngine(file, { dataDir, key: engine.key });
  t.equal((await artifactsOf("t1")).length, 2);
  const { body: fork } = await call("/tasks/t1/fork", { method: "POST", body: {} });
  await publish("t1", "report.md", "Report");
  t.equal((await artifactsOf("t1"))[0].version, 3);
  const stored = () => readdirSync(join(dataDir, "checkpoints")).length;
  t.equal(stored(), 3);
  await call("/tasks/t1", { method: "DELETE" });
  t.same(
    (await artifactsOf(fork.task_id)).map((one: { version: number }) => one.version),
    [2, 1],
  );
  t.equal(stored(), 2, "the content of the third is removed");
  await call(`/tasks/${fork.task_id}`, { method: "DELETE" });
  t.equal(stored(), 0);
});

t.test("readers that ask are told which files a call has changed, others are not", async (t) => {
  const write = (path: string, content: string) => `/tool write_file ${JSON.stringify({ path, content })}`;
  const command = `/tool run_command ${JSON.stringify({ command: "rm w.txt; echo 2 >> c.txt; mkdir d; touch d/e" })}`;
  writeFileSync(join(workspace, "c.txt"), "1");
  const stream = await engine.stream("/execute?events=file", {
    body: { task_id: "t3", message: `${write("w.txt", "one")}\n${write("w.txt", "two")}\n${command}\n/say done` },
  });
  const answered = new Set<string>();
  // One for the file, one for the command.
  while (answered.size < 2) {
    const { data } = await stream.first("hitl_request", ({ request_id: id }) => !answered.has(id));
    answered.add(data.request_id);
    await call("/hitl/respond", { method: "POST", body: { request_id: data.request_id, answer: "allow_always" } });
  }
  const frames = await stream.all();
  t.same(
    frames.flatMap(({ event, data }) => (event === "file_changed" ? [`${data.change} ${data.path}`] : [])),
    ["created w.txt", "changed w.txt", "changed c.txt", "created d/e", "removed w.txt"],
  );
  const result = frames.findIndex(({ event }) => event === "tool_result");
  t.ok(frames.findIndex(({ event }) => event === "file_changed") < result, "before the result of its call");
  const { body } = await call("/execute/replay?task_id=t3");
  t.notOk(body.events.some((one: { event: string }) => one.event === "file_changed"));
  t.equal(readFileSync(join(workspace, "c.txt"), "utf8"), "12\n");
});

t.test("what a caller changes while a command runs is not the command's, and a rewind leaves it", async (t) => {
  const command = `/tool run_command ${JSON.stringify({ command: "touch begun; until [ -e go ]; do sleep 0.02; done; echo 1 > mine.txt" })}`;
  const stream = await engine.stream("/execute?events=file", {
    body: { task_id: "t4", message: `/say first\n${command}\n/say done` },
  });
  const { data } = await stream.first("hitl_request");
  await call("/hitl/respond", { method: "POST", body: { request_id: data.request_id, answer: "allow_once" } });
  await until("the command runs", () => existsSync(join(workspace, "begun")));
  const put = (path: string) => call(`/files/content?path=${path}`, { method: "PUT", body: "of the caller" });
  t.equal((await put("theirs.txt")).status, 201);
  t.equal((await put("go")).status, 201);
  const changed = (await stream.all()).flatMap((frame) => (frame.event === "file_changed" ? [frame.data.path] : []));
  t.same(changed, ["begun", "mine.txt"]);
  t.equal((await put("mine.txt")).status, 200);
  const { body: messages } = await call("/tasks/t4/messages");
  const rewind = { to_message: messages.items[0].message_id, files: "restore", dry_run: true };
  const { body } = await call("/tasks/t4/rewind", { method: "POST", body: rewind });
  t.match(body.files, {
    restorable: [{ path: "begun", action: "remove" }],
    changed_by_others: [{ path: "mine.txt", action: "remove" }],
  });
});
