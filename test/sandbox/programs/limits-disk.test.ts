import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { folderUsage } from "../../../src/sandbox/disk/folder-usage.ts";
import { editFile } from "../../../src/engine/tools/edit-file.ts";
import { runCommand } from "../../../src/engine/tools/command/run-command.ts";
import { writeFile } from "../../../src/engine/tools/write-file.ts";
import { temporaryFolder } from "../../helpers/run.ts";
import { commandHost, diskOf } from "../../helpers/command-host.ts";
import { limitedLauncher } from "../../helpers/limits.ts";
import { toolBench } from "../../helpers/tool-context.ts";

const MIB = 1_048_576;

/** Tools of an engine with 16 MB of disk. */
function bench(t: Test) {
  const { launcher, disk } = limitedLauncher(t.testdirName, { cgroupFolders: [], diskMb: 16 });
  const tools = toolBench(t, { "old.txt": "old" }, {}, disk);
  const command = runCommand({ ...commandHost({ PATH: "/usr/bin:/bin" }, t.testdirName), launcher });
  const sh = (text: string) => tools.run(command, { command: text });
  return { ...tools, disk, sh };
}

t.test("a command that fills the disk is ended, with an error that says what to do", async (t) => {
  const { sh, workspaceDir } = bench(t);
  const { error } = await sh("for i in $(seq 1000); do head -c 1000000 /dev/zero > file-$i; sleep 0.02; done");
  t.match(error, /^the disk quota of 16 MB is used up; delete files; the command and its child processes were ended/);
  t.notOk(existsSync(join(workspaceDir, "file-200")));
});

t.test("one file cannot be larger than what is left", async (t) => {
  const { sh, workspaceDir } = bench(t);
  const { error } = await sh("head -c 40000000 /dev/zero > large");
  t.match(
    error,
    /it wrote a file that is larger than what is left of the disk quota|the disk quota of 16 MB is used up/,
  );
  t.ok((await folderUsage(workspaceDir)).bytes <= 17 * MIB);
});

t.test("a file that was removed while it is open counts", async (t) => {
  const { sh } = bench(t);
  const { error } = await sh(
    "exec 3> a 4> b; rm a b; head -c 10000000 /dev/zero >&3; head -c 10000000 /dev/zero >&4; sleep 30",
  );
  t.match(error, /^the disk quota of 16 MB is used up/);
});

t.test("file tools refuse to write on a full disk, and write again once a command has deleted files", async (t) => {
  const { sh, run, workspaceDir } = bench(t);
  writeFileSync(join(workspaceDir, "large"), Buffer.alloc(17 * MIB));
  const full = "the disk quota of 16 MB is used up; delete files";
  t.match(await run(writeFile, { path: "new.txt", content: "new" }), { error: full });
  t.match(await run(editFile, { path: "old.txt", old_text: "old", new_text: "new" }), { error: full });
  t.match(await sh("echo more > more"), { error: /is used up/ }, "nor can a command");
  t.match(await sh("mkdir -p a/b && rm -r a && ls"), { output: { exit_code: 0, disk: full } }, "it can look around");
  t.match(await sh("rm large"), { error: null });
  t.match(await run(writeFile, { path: "new.txt", content: "new" }), { error: null });
});

t.test("a command that starts after the disk was filled unnoticed can clean it up", async (t) => {
  const { sh, disk, workspaceDir } = bench(t);
  await disk.remeasure();
  writeFileSync(join(workspaceDir, "large"), Buffer.alloc(40 * MIB));
  t.notOk(disk.isFull, "it is not measured again yet");
  t.match(await sh("sleep 0.5; rm large"), { error: null });
});

t.test("results say when little is left", async (t) => {
  const { run, sh, workspaceDir } = bench(t);
  writeFileSync(join(workspaceDir, "large"), Buffer.alloc(15 * MIB));
  const note = "15 MB of the disk quota of 16 MB are used";
  t.match(await run(writeFile, { path: "new.txt", content: "new" }), { output: { disk: note } });
  t.match(await sh("echo hello"), { output: { exit_code: 0, disk: note } });
});

t.test("files hidden from the measure count towards the quota", async (t) => {
  const folder = temporaryFolder("quota");
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const usage = () => folderUsage(folder);
  const hide = async (what: string, file: string | Buffer) => {
    const before = await usage();
    writeFileSync(file, Buffer.alloc(2 * MIB));
    const { bytes, largest, failure } = await usage();
    t.match({ largest, failure }, { largest: 2 * MIB, failure: null });
    t.ok(bytes - before.bytes >= 2 * MIB, what);
  };
  await hide("a name that is not UTF-8", Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]));
  mkdirSync(join(folder, "workspace"));
  await hide("the name of the engine's log", join(folder, "workspace/engine.log"));
  mkdirSync(join(folder, "many"));
  const before = await usage();
  for (let file = 0; file < 1000; file++) writeFileSync(join(folder, `many/${file}`), "");
  t.equal((await usage()).bytes - before.bytes >= 1000 * 16_384, true, "an empty file counts as 16 KiB");
});

t.test("a measure closes what it opened, of a folder of any depth", async (t) => {
  const folder = t.testdir({});
  execFileSync("perl", ["-e", 'chdir $ARGV[0]; for (1 .. 3000) { mkdir "x"; chdir "x"; } open F, ">f";', folder]);
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  t.match(await folderUsage(folder), { bytes: 3001 * 16_384, failure: null });
  t.equal(open(), before);
  const stopped = await folderUsage(folder, { signal: AbortSignal.abort(new Error("too late")) });
  t.match(stopped.failure, { message: "too late" });
  t.equal(open(), before);
  execFileSync("rm", ["-rf", join(folder, "x")]);
});

t.test("a file that no path can name counts", async (t) => {
  // In small pieces: one large write that goes on while the program is stopped ends it for another reason.
  const { sh, disk } = bench(t);
  const { error } = await sh(
    `perl -e 'my $name = "x" x 200; for (1 .. 40) { mkdir $name; chdir $name; } for my $n (1 .. 3) { open F, ">f$n"; syswrite F, "x" x 500_000 for 1 .. 16; } sleep 30;'`,
  );
  t.match(error, /^the disk quota of 16 MB is used up/);
  t.ok(disk.isFull);
  t.match(await sh("rm -rf x*"), { error: null });
  await disk.remeasure();
  t.notOk(disk.isFull);
});

t.test("a large folder is not measured all the time", async (t) => {
  let measured = 0;
  const disk = diskOf({ megabytes: 1, measured: () => void measured++ });
  for (let call = 0; call < 100; call++) await disk.refresh();
  t.equal(measured, 1);
});
