import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { eraseMemory } from "../../../src/engine/memory/portability/erase-memory.ts";
import type { StoredContent } from "../../../src/engine/store/checkpoint-contents.ts";
import { ArtifactTable } from "../../../src/engine/store/artifact-table.ts";
import { changeRemoval } from "../../../src/engine/tasks/change-removal.ts";
import { editFile } from "../../../src/engine/tools/edit-file.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { writeFile as writeTool } from "../../../src/engine/tools/write-file.ts";
import { checkpointBench } from "../../helpers/checkpoints.ts";
import { diskOf } from "../../helpers/command-host.ts";
import { until } from "../../helpers/until.ts";

const writeFile = writeTool as unknown as Tool;
const edit = editFile as unknown as Tool;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const paths = (items: readonly { readonly path: string }[]) => items.map(({ path }) => path).toSorted();
const actions = (items: readonly { readonly path: string; readonly action: string }[]) =>
  items.map(({ path, action }) => `${action} ${path}`).toSorted();

t.test("before a file tool changes a file, its content is on the disk and its row is stored", async (t) => {
  const bench = checkpointBench(t);
  const file = join(bench.workspaceDir, "a.txt");
  writeFileSync(file, "old", { mode: 0o640 });
  const message = bench.message();
  await bench.run(writeFile, { path: "a.txt", content: "new" });
  const [change] = bench.changes();
  t.match(change, { path: "a.txt", messageId: message, before: { kind: "file", mode: 0o640, digest: sha256("old") } });
  t.match(change?.after, { kind: "file", digest: sha256("new"), stamp: /^3 / });
  t.equal(readFileSync(join(bench.dataDir, "checkpoints", sha256("old")), "utf8"), "old");
  t.equal(statSync(join(bench.dataDir, "checkpoints")).mode & 0o777, 0o700, "only the engine's user reads them");
});

t.test("a restore gives each path the state before the first change, with modes and folders", async (t) => {
  const bench = checkpointBench(t);
  const at = (name: string) => join(bench.workspaceDir, name);
  writeFileSync(at("edited.sh"), "one", { mode: 0o750 });
  chmodSync(at("edited.sh"), 0o750);
  writeFileSync(at("same.txt"), "same");
  const start = bench.message();
  bench.message();
  await bench.run(edit, { path: "edited.sh", old_text: "one", new_text: "two" });
  await bench.run(edit, { path: "edited.sh", old_text: "two", new_text: "three" });
  await bench.run(writeFile, { path: "new/deep/file.txt", content: "x" });
  await bench.run(writeFile, { path: "same.txt", content: "other" });
  await bench.run(writeFile, { path: "same.txt", content: "same" });
  const plan = await bench.plan(start);
  t.strictSame(actions(plan.restorable), [
    "remove new/deep/file.txt",
    "remove_folder new",
    "remove_folder new/deep",
    "write edited.sh",
  ]);
  t.strictSame([plan.notCaptured, plan.changedByOthers], [[], []]);
  t.strictSame(await bench.restore(plan), []);
  t.equal(readFileSync(at("edited.sh"), "utf8"), "one");
  t.equal(statSync(at("edited.sh")).mode & 0o777, 0o750);
  t.notOk(existsSync(at("new")));
  const again = await bench.plan(start);
  t.strictSame([again.restorable, again.notCaptured, again.changedByOthers], [[], [], []], "nothing is left to do");
});

t.test("a later rewind passes over an earlier restore", async (t) => {
  const bench = checkpointBench(t);
  const file = join(bench.workspaceDir, "a.txt");
  const first = bench.message();
  bench.message();
  await bench.run(writeFile, { path: "a.txt", content: "v1" });
  const second = bench.message();
  bench.message();
  await bench.run(writeFile, { path: "a.txt", content: "v2" });
  await bench.restore(await bench.plan(second));
  t.equal(readFileSync(file, "utf8"), "v1");
  const plan = await bench.plan(first);
  t.strictSame(actions(plan.restorable), ["remove a.txt"], "the restore itself is not another's change");
  await bench.restore(plan);
  t.notOk(existsSync(file));
});

t.test("what others changed since is told, and restored only when it is asked for", async (t) => {
  const bench = checkpointBench(t);
  const at = (name: string) => join(bench.workspaceDir, name);
  const start = bench.message();
  bench.message();
  for (const name of ["user.txt", "between.txt", "touched.txt", "task.txt"])
    await bench.run(writeFile, { path: name, content: "agent" });
  writeFileSync(at("user.txt"), "of the user");
  writeFileSync(at("between.txt"), "of the user");
  await bench.run(writeFile, { path: "between.txt", content: "agent again" });
  utimesSync(at("touched.txt"), 1, 1);
  bench.message("other");
  await bench.run(writeFile, { path: "task.txt", content: "of another task" }, "other");
  const plan = await bench.plan(start);
  t.strictSame(paths(plan.changedByOthers), ["between.txt", "task.txt", "user.txt"]);
  t.strictSame(paths(plan.restorable), ["touched.txt"], "a file with the same content was not changed");
  t.strictSame(await bench.restore(plan), []);
  t.strictSame(readdirSync(bench.workspaceDir), []);
});

t.test("a command's changes are found, and restored where the content is known", async (t) => {
  const bench = checkpointBench(t);
  const at = (name: string) => join(bench.workspaceDir, name);
  mkdirSync(at("kept"));
  writeFileSync(at("foreign.txt"), "before");
  writeFileSync(at("kept/gone.txt"), "before");
  const start = bench.message();
  bench.message();
  await bench.run(writeFile, { path: "agent.txt", content: "by the agent" });
  const middle = bench.message();
  bench.message();
  await bench.shell(
    "echo more >> foreign.txt; rm -r kept; echo more >> agent.txt; mkdir -p made/deep; echo x > made/deep/a; ln -s a made/link",
  );
  const plan = await bench.plan(middle);
  t.strictSame(actions(plan.restorable), [
    "make_folder kept",
    "remove made/deep/a",
    "remove made/link",
    "remove_folder made",
    "remove_folder made/deep",
    "write agent.txt",
  ]);
  t.strictSame(plan.notCaptured.map(({ path, reason }) => `${path} ${reason}`).toSorted(), [
    "foreign.txt by_command",
    "kept/gone.txt by_command",
  ]);
  t.strictSame([plan.changedByOthers, bench.incomplete()], [[], []]);
  t.strictSame(await bench.restore(plan), []);
  t.equal(readFileSync(at("agent.txt"), "utf8"), "by the agent");
  t.ok(lstatSync(at("kept")).isDirectory());
  t.notOk(existsSync(at("made")));
  t.strictSame(actions((await bench.plan(start)).restorable), ["remove agent.txt"]);
});

t.test("a command that fails is compared too, and calls of other tasks make its changes doubtful", async (t) => {
  const bench = checkpointBench(t);
  const start = bench.message();
  bench.message();
  bench.message("other");
  const results = await Promise.all([
    bench.shell("echo x > one; sleep 0.3; exit 1"),
    bench.shell("sleep 0.2; echo x > two", "other"),
  ]);
  t.match(results[0], { output: { exit_code: 1 } });
  const plan = await bench.plan(start);
  t.ok(paths(plan.changedByOthers).includes("one"));
  t.strictSame(plan.restorable, []);
});

t.test("parallel calls of one task, and file tools meanwhile, are stored once", async (t) => {
  const bench = checkpointBench(t);
  const start = bench.message();
  bench.message();
  await Promise.all([
    bench.shell("echo x > one; sleep 0.3"),
    bench.shell("echo x > two; sleep 0.2"),
    bench.run(writeFile, { path: "three", content: "x" }),
  ]);
  const plan = await bench.plan(start);
  t.strictSame(actions(plan.restorable), ["remove one", "remove three", "remove two"]);
  t.strictSame(plan.changedByOthers, []);
});

t.test("a file of a caller whose change is noted after a command has ended is not the command's", async (t) => {
  const bench = checkpointBench(t);
  const start = bench.message();
  bench.message();
  const theirs = join(bench.workspaceDir, "theirs");
  const change = bench.checkpoints.duringChange(
    until("the caller's file is there", () => existsSync(theirs)).then(async () => {
      // Long after the command has ended.
      await pause(500);
      bench.checkpoints.changedByCaller({ path: "theirs", now: statSync(theirs) });
    }),
  );
  await bench.shell("echo x > mine; echo x > theirs");
  await change;
  t.strictSame(actions((await bench.plan(start)).restorable), ["remove mine"]);
});

t.test("a workspace that is too large to compare is told, and does not stall a command", async (t) => {
  const bench = checkpointBench(t, { bounds: { maxEntries: 10, timeoutMs: 1000 } });
  for (let number = 0; number < 20; number++) writeFileSync(join(bench.workspaceDir, `${number}`), "x");
  const start = bench.message();
  bench.message();
  await bench.shell("rm 1");
  await bench.shell("rm 2");
  t.match(bench.incomplete("task", start), [{ reason: "too_large" }, { reason: "too_large" }]);
  const slow = checkpointBench(t, {
    bounds: { maxEntries: 10_000, timeoutMs: 0 },
    dataDir: join(bench.dataDir, "slow"),
  });
  slow.message();
  mkdirSync(join(slow.workspaceDir, "many"));
  for (let number = 0; number < 4000; number++) writeFileSync(join(slow.workspaceDir, `many/${number}`), "x");
  await slow.shell("true");
  t.match(slow.incomplete(), [{ reason: "too_large" }], "the time is bounded too");
});

t.test("the call that an earlier process did not end is told as interrupted", async (t) => {
  const bench = checkpointBench(t);
  bench.message();
  bench.checkpoints.changes.comparing({ taskId: "task", turnId: "turn", toolCallId: "killed", messageId: 1 });
  bench.checkpoints.changes.interrupted();
  t.match(bench.incomplete(), [{ toolCallId: "killed", reason: "interrupted" }]);
});

t.test("contents above the limit are removed, the oldest first, and none larger than a file may be", async (t) => {
  const bench = checkpointBench(t, { maxBytes: 30_000 });
  const start = bench.message();
  bench.message();
  const text = (letter: string) => letter.repeat(8000);
  for (const name of ["a", "b", "c", "d", "e"]) writeFileSync(join(bench.workspaceDir, name), text(name));
  writeFileSync(join(bench.workspaceDir, "large"), "x".repeat(40_000));
  for (const name of ["a", "b", "c", "d", "e", "large"]) await bench.run(writeFile, { path: name, content: "" });
  const plan = await bench.plan(start);
  t.strictSame(plan.notCaptured.map(({ path, reason }) => `${path} ${reason}`).toSorted(), [
    "a removed_from_store",
    "b removed_from_store",
    "large too_large",
  ]);
  t.strictSame(paths(plan.restorable), ["c", "d", "e"]);
  const sizes = readdirSync(join(bench.dataDir, "checkpoints")).map(
    (name) => statSync(join(bench.dataDir, "checkpoints", name)).size,
  );
  t.ok(sizes.reduce((sum, size) => sum + size, 0) <= 30_000);
});

t.test("a restore does not lose a content that it needs to the limit", async (t) => {
  const bench = checkpointBench(t, { maxBytes: 20_000 });
  const start = bench.message();
  bench.message();
  for (const name of ["a", "b"]) writeFileSync(join(bench.workspaceDir, name), name.repeat(9000));
  for (const name of ["a", "b"]) await bench.run(writeFile, { path: name, content: "" });
  for (const name of ["a", "b"]) writeFileSync(join(bench.workspaceDir, name), name.repeat(10_000));
  t.strictSame(await bench.restore(await bench.plan(start)), []);
  for (const name of ["a", "b"]) t.equal(readFileSync(join(bench.workspaceDir, name), "utf8"), name.repeat(9000));
});

t.test("a disk without room keeps no content and refuses no write; contents make room for a tool", async (t) => {
  const bench = checkpointBench(t, { disk: diskOf({ megabytes: 1 }) });
  const start = bench.message();
  bench.message();
  writeFileSync(join(bench.workspaceDir, "a"), "x".repeat(600_000));
  await bench.run(writeFile, { path: "a", content: "y".repeat(300_000) });
  await bench.run(writeFile, { path: "b", content: "z".repeat(500_000) });
  t.equal(statSync(join(bench.workspaceDir, "b")).size, 500_000);
  const plan = await bench.plan(start);
  t.ok(plan.notCaptured.every(({ reason }) => reason === "removed_from_store" || reason === "disk_full"));
});

t.test("without checkpoints of content the changes are still known", async (t) => {
  const bench = checkpointBench(t, { maxBytes: 0 });
  writeFileSync(join(bench.workspaceDir, "old"), "x");
  const start = bench.message();
  bench.message();
  for (const path of ["old", "new"]) await bench.run(writeFile, { path, content: "y" });
  const plan = await bench.plan(start);
  t.match(plan, {
    notCaptured: [{ path: "old", reason: "switched_off" }],
    restorable: [{ path: "new", action: "remove" }],
  });
  t.notOk(existsSync(join(bench.dataDir, "checkpoints")));
});

t.test("a damaged content is not restored", async (t) => {
  const bench = checkpointBench(t);
  const file = join(bench.workspaceDir, "a.txt");
  writeFileSync(file, "old");
  const start = bench.message();
  bench.message();
  await bench.run(writeFile, { path: "a.txt", content: "new" });
  truncateSync(join(bench.dataDir, "checkpoints", sha256("old")), 1);
  t.match(await bench.restore(await bench.plan(start)), [{ path: "a.txt", reason: /damaged/ }]);
  t.equal(readFileSync(file, "utf8"), "new");
  t.strictSame(readdirSync(bench.workspaceDir), ["a.txt"], "no draft is left");
});

t.test("files of contents without a row are removed after an hour", async (t) => {
  const bench = checkpointBench(t);
  bench.message();
  await bench.run(writeFile, { path: "a.txt", content: "kept" });
  const folder = join(bench.dataDir, "checkpoints");
  for (const name of ["draft-1", sha256("orphan"), sha256("young")]) writeFileSync(join(folder, name), "x");
  const old = Date.now() / 1000 - 7200;
  for (const name of ["draft-1", sha256("orphan"), sha256("kept")]) utimesSync(join(folder, name), old, old);
  await bench.checkpoints.maintain(Date.now());
  t.strictSame(readdirSync(folder).toSorted(), [sha256("kept"), sha256("young")].toSorted());
});

t.test("old changes are forgotten, and their task is told to be incomplete there", async (t) => {
  const bench = checkpointBench(t);
  const first = bench.message();
  for (const name of ["a", "b", "c"]) await bench.run(writeFile, { path: name, content: "x" });
  bench.checkpoints.changes.prune(1);
  t.strictSame(paths(bench.changes()), ["c"]);
  t.match(bench.incomplete(), [{ reason: "forgotten", messageId: first }]);
  unlinkSync(join(bench.workspaceDir, "a"));
});

t.test("an erasure of the memory removes the changes and their contents", async (t) => {
  const bench = checkpointBench(t);
  bench.message();
  await bench.run(writeFile, { path: "a.txt", content: "private" });
  await eraseMemory({ store: bench.store, workspaceDir: bench.workspaceDir }, { seq: 0 } as never);
  t.strictSame(bench.changes(), []);
  t.notOk(existsSync(join(bench.dataDir, "checkpoints")));
  bench.message();
  await bench.run(writeFile, { path: "a.txt", content: "again" });
  t.equal(bench.changes().length, 1, "later changes are stored");
});

t.test("a deleted task takes its changes and the contents that only it used", async (t) => {
  const bench = checkpointBench(t);
  bench.message();
  bench.message("other");
  await bench.run(writeFile, { path: "a.txt", content: "only here" });
  await bench.run(writeFile, { path: "b.txt", content: "in both" });
  await bench.run(writeFile, { path: "c.txt", content: "in both" }, "other");
  const unused: StoredContent[] = [];
  const { changes, recorder } = bench.checkpoints;
  const kept = { changes, recorder, artifacts: new ArtifactTable(bench.store) };
  for (const step of changeRemoval(kept, "task", unused)) bench.store.transaction(step);
  t.strictSame(unused, [{ digest: sha256("only here"), bytes: 9 }]);
  recorder.contents.removeFiles(unused);
  t.strictSame(readdirSync(join(bench.dataDir, "checkpoints")), [sha256("in both")]);
  t.strictSame([bench.changes().length, bench.changes("other").length], [0, 1]);
});
