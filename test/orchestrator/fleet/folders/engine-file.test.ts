import { execFileSync } from "node:child_process";
import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { prepareEngineFolder } from "../../../../src/orchestrator/fleet/folders/engine-folder.ts";
import { ENGINE_LOG, logTail } from "../../../../src/orchestrator/fleet/logs/engine-log.ts";
import { rotateLog } from "../../../../src/orchestrator/fleet/logs/log-rotation.ts";
import { healthy, testFleet } from "../../../helpers/fleet.ts";
import { freshFolder } from "../../../helpers/folder.ts";

const pipe = (path: string) => execFileSync("mkfifo", [path]);

t.test("a pipe or a link in the place of a log is no log", async (t) => {
  const folder = freshFolder(t, "no-log");
  const log = join(folder, ENGINE_LOG);
  pipe(log);
  t.same(await logTail(folder, 10), []);
  rmSync(log);
  writeFileSync(join(folder, "secret"), "of others\n");
  symlinkSync("secret", log);
  t.same(await logTail(folder, 10), []);
});

t.test("a rotation waits for no pipe and writes through no link", async (t) => {
  const folder = freshFolder(t, "no-rotated-log");
  const log = join(folder, ENGINE_LOG);
  writeFileSync(join(folder, "secret"), "");
  for (const put of [pipe, (path: string) => symlinkSync("secret", path)]) {
    writeFileSync(log, "words");
    rmSync(`${log}.1`, { force: true });
    put(`${log}.1`);
    await rotateLog(log, { maxBytes: 100, keep: 3 });
    t.equal(readFileSync(`${log}.1`, "utf8"), "words");
  }
  t.equal(readFileSync(join(folder, "secret"), "utf8"), "");
});

t.test("a log that is a link, or another name of a file elsewhere, is not read and not emptied", async (t) => {
  const folder = freshFolder(t, "linked-log");
  const secret = join(freshFolder(t, "elsewhere"), "secret");
  const log = join(folder, ENGINE_LOG);
  writeFileSync(secret, "long words of others\n");
  for (const put of [symlinkSync, linkSync]) {
    put(secret, log);
    await rotateLog(log, { maxBytes: 4, keep: 3 });
    t.same(await logTail(folder, 10), []);
    t.notOk(existsSync(`${log}.1`));
    rmSync(log);
  }
  t.equal(readFileSync(secret, "utf8"), "long words of others\n");
});

for (const [what, put] of [
  ["pipe", pipe],
  ["link", (path: string) => symlinkSync("/dev/full", path)],
] as const)
  t.test(`an engine whose log is a ${what} starts with a new one`, async (t) => {
    const { backend, order } = testFleet(t, "well-behaved");
    const given = await order();
    const log = join(given.launch.data_dir, ENGINE_LOG);
    mkdirSync(given.launch.data_dir, { recursive: true });
    put(log);
    const engine = await backend.launch(given);
    t.match(await healthy(given, engine), { kind: "healthy" });
    t.ok(lstatSync(log).isFile());
    await engine.stop(5000);
  });

t.test("kept data comes back whatever its user put in the place of the mark", async (t) => {
  const root = freshFolder(t, "kept");
  const [folder, kept, secret] = [join(root, "engine"), join(root, "kept"), join(root, "secret")];
  writeFileSync(secret, "of others");
  for (const put of [pipe, (path: string) => symlinkSync(secret, path), (path: string) => writeFileSync(path, "")]) {
    mkdirSync(kept);
    put(join(kept, ".restored"));
    await prepareEngineFolder(folder, kept);
    t.ok(existsSync(join(folder, ".restored")));
    rmSync(folder, { recursive: true });
  }
  t.equal(readFileSync(secret, "utf8"), "of others");
});
