import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import t from "tap";
import { byProcessor, systemCall } from "../../../src/sandbox/system/system-calls.ts";
import { isAlive, readStat } from "../../../src/sandbox/processes/process-table.ts";
import { until } from "../../helpers/until.ts";
import { type LauncherBench, WORKER, cannotConfine, ended, launcherBench, launchThreads } from "./launcher-bench.ts";

const skip = cannotConfine;

t.test("a program runs in the workspace, in a session of its own, with both outputs in order", { skip }, async (t) => {
  const { run, start, folders } = launcherBench(t);
  t.same(await run("pwd; echo err >&2; echo out; exit 3"), {
    exitCode: 3,
    signal: null,
    output: `${folders.workspace}\nerr\nout\n`,
  });
  t.match(await run("kill -9 $$"), { exitCode: null, signal: "SIGKILL" });
  const program = await start("read -r line; echo never");
  t.match(readStat(program.pid) ?? { session: program.pid }, { session: program.pid });
  t.match(await ended(program), { exitCode: 0, output: "never\n" }, "and there is no input to wait for");
});

t.test(
  "a program has its workspace, a temporary folder and a cache, and not the engine's other files",
  { skip },
  async (t) => {
    const { run, dataDir } = launcherBench(t);
    t.match(await run("echo a > a && echo b > ../tmp/b && echo c > ../cache/c && cat a ../tmp/b ../cache/c"), {
      exitCode: 0,
      output: "a\nb\nc\n",
    });
    for (const file of ["engine.db", "catalog/secret"])
      t.match(await run(`cat ../${file}`), { exitCode: 1, output: /Permission denied/ }, file);
    t.match(await run("echo x > ../engine.db"), { output: /Permission denied/ });
    t.equal(readFileSync(join(dataDir, "engine.db"), "utf8"), "the store", "which the engine itself still reads");
  },
);

t.test("a program that cannot start gives a clear error, and the next one starts", { skip }, async (t) => {
  const { run, folders } = launcherBench(t);
  writeFileSync(join(folders.workspace, "plain"), "text", { mode: 0o600 });
  for (const [more, message] of [
    [{ argv: ["no-such-program"] }, /cannot be started: the program or its folder does not exist \(ENOENT\)/],
    [{ cwd: "/no/such/folder" }, /cannot be started: the program or its folder does not exist \(ENOENT\)/],
    [{ argv: ["./plain"] }, /cannot be started: the program may not be executed.*\(EACCES\)/],
    [{ argv: ["echo", "x".repeat(3_000_000)] }, /cannot be started: its arguments.*too long \(E2BIG\)/],
  ] as const)
    await t.rejects(run("", more), { name: "LaunchFailed", message });
  t.match(await run("echo fine"), { output: "fine\n" });
});

t.test("a host without room for another process is a clear error", { skip }, async (t) => {
  const program = `const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ id }) => parentPort.postMessage({ kind: "failed", id, code: "EAGAIN", message: "spawn" }));
    parentPort.postMessage({ kind: "confined", listener: null });`;
  const { run } = launcherBench(t, { program });
  await t.rejects(run("true"), { message: "the command cannot be started: too many processes are running (EAGAIN)" });
});

t.test("without confinement nothing starts, and the next call tries again", { skip }, async (t) => {
  const refusal = join(t.testdir(), "..", `refusal-${process.pid}`);
  t.teardown(() => rmSync(refusal, { force: true }));
  const program = `if (require("node:fs").existsSync(${JSON.stringify(refusal)})) throw new Error("the kernel refuses");${WORKER}`;
  const { run, folders, log } = launcherBench(t, { program });
  writeFileSync(refusal, "");
  await t.rejects(run("touch ran"), { name: "LaunchFailed", message: /the kernel refuses/ });
  t.notOk(existsSync(join(folders.workspace, "ran")));
  t.ok(log.some((line) => line.includes("thread that starts programs failed") && line.includes("the kernel refuses")));
  rmSync(refusal);
  t.match(await run("touch ran; ls"), { exitCode: 0, output: "ran\n" });
});

t.test("a thread that dies fails its programs' ends, and the next call gets another thread", { skip }, async (t) => {
  const dies = `require("node:worker_threads").parentPort.on("message", ({ argv }) => {
    if (argv.includes("die")) throw new Error("a bug");
  });`;
  const { start, run, log } = launcherBench(t, { program: `${WORKER};${dies}` });
  const program = await start("exec sleep 300");
  await start("true", { argv: ["/bin/true", "die"] }).catch(() => undefined);
  await t.rejects(program.exited, { name: "LaunchFailed", message: /has ended: a bug/ });
  t.ok(isAlive(program), "what still runs is its caller's to end");
  process.kill(program.pid, "SIGKILL");
  program.dispose();
  t.ok(log.some((line) => line.includes("thread that starts programs failed") && line.includes("a bug")));
  t.match(await run("echo again"), { output: "again\n" });
});

t.test("a server gets a pipe for each stream, and one that closes with the engine", { skip }, async (t) => {
  const { start } = launcherBench(t);
  const program = await start('read -r line; echo "got $line"; echo err >&2; read -r _ <&3; exit 7', {
    streams: "all",
  });
  program.stdin?.write("hello\n");
  const chunks: string[] = [];
  program.stdout.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  await until("it has read its input", () => chunks.join("") === "got hello\n");
  t.ok(isAlive(program), "the guard is open while the engine lives");
  const errors = await once(program.stderr as Readable, "data");
  t.equal(String(errors), "err\n");
  program.dispose();
  t.match(await program.exited, { exitCode: 7 });
});

t.test("a program inherits its streams and nothing else", { skip }, async (t) => {
  const { start } = launcherBench(t);
  const open = openSync("/etc/hostname", "r");
  // As if the engine had been started with it: Node.js opens nothing that programs inherit.
  const inherited = 200;
  systemCall("dup3", byProcessor({ x64: 292, arm64: 24 }), open, inherited, 0);
  t.teardown(() => [open, inherited].forEach((descriptor) => closeSync(descriptor)));
  for (const [streams, expected] of [
    ["output", ["0", "1", "2"]],
    ["all", ["0", "1", "2", "3"]],
  ] as const) {
    const program = await start("exec sleep 300", { streams });
    await until("it is the program itself", () => readFileSync(`/proc/${program.pid}/comm`, "utf8") === "sleep\n");
    const descriptors = () => readdirSync(`/proc/${program.pid}/fd`);
    // The dynamic loader opens files of its own and closes them before the program's first line.
    await until(`${streams}: it has ${expected.join(", ")} open`, () => isDeepStrictEqual(descriptors(), expected));
    for (const descriptor of expected)
      t.match(readlinkSync(`/proc/${program.pid}/fd/${descriptor}`), /^pipe:|^\/dev\/null$/);
    process.kill(program.pid, "SIGKILL");
    await program.exited;
    program.dispose();
  }
});

t.test("an idle thread ends, and the next program gets another", { skip }, async (t) => {
  const { start, run } = launcherBench(t, { idleMs: 100 });
  const long = await start("exec sleep 300");
  t.match(await run("true"), { exitCode: 0 });
  t.equal(launchThreads().length, 1, "one for both");
  process.kill(long.pid, "SIGKILL");
  await ended(long);
  await until("the thread has ended", () => launchThreads().length === 0);
  t.match(await run("echo again"), { output: "again\n" });
});

t.test("programs at once start in one thread, each with its own output", { skip }, async (t) => {
  const { run } = launcherBench(t);
  const ends = await Promise.all(Array.from({ length: 20 }, (_, index) => run(`echo ${index}; exit ${index}`)));
  t.same(
    ends,
    Array.from({ length: 20 }, (_, index) => ({ exitCode: index, signal: null, output: `${index}\n` })),
  );
  t.equal(launchThreads().length, 1);
});

t.test("no descriptor is left open, whether programs start or not", { skip }, async (t) => {
  const { run } = launcherBench(t);
  const both = async () => {
    await run("true", { streams: "all" });
    await t.rejects(run("", { argv: ["no-such-program"], streams: "all" }));
  };
  await both();
  const before = readdirSync("/proc/self/fd").length;
  for (let round = 0; round < 5; round++) await both();
  await until("all are closed", () => readdirSync("/proc/self/fd").length <= before);
});

t.test("a sandbox replaces the workspace by what it names", { skip }, async (t) => {
  const { run, folders } = launcherBench(t);
  await run("mkdir notes other; echo text > other/file");
  const notes = join(folders.workspace, "notes");
  const only = { sandbox: { write: [notes] } };
  t.match(await run("echo a > notes/a; echo b > other/b; cat other/file", only), {
    output: /Permission denied\ntext\n$/,
  });
  const nothingElse = { sandbox: { read: [], write: [notes] } };
  t.match(await run("cat notes/a; cat other/file", nothingElse), { output: /^a\n.*Permission denied\n$/ });
  t.match(await run("echo c > other/c; cat other/c"), { output: "c\n" }, "commands keep what they have");
});

t.test("a sandbox does not follow a link that a tool planted", { skip }, async (t) => {
  const bench: LauncherBench = launcherBench(t);
  const { run, folders } = bench;
  symlinkSync("../engine.db", join(folders.workspace, "link"));
  const sandbox = { read: [join(folders.workspace, "link")] };
  await t.rejects(run("cat link", { sandbox }), { name: "LaunchFailed", message: /leads outside/ });
  const missing = { read: [join(folders.workspace, "missing")] };
  await t.rejects(run("true", { sandbox: missing }), { message: /missing, which cannot be opened \(ENOENT\)/ });
});

t.test("a program is found although PATH begins with a folder that is not readable", { skip }, async (t) => {
  const { run, dataDir } = launcherBench(t);
  writeFileSync(join(dataDir, "catalog/ls"), "#!/bin/sh\necho wrong", { mode: 0o755 });
  const env = { PATH: `${dataDir}/catalog:/usr/bin:/bin` };
  t.match(await run("ls -d .", { env }), { exitCode: 0, output: ".\n" });
});

t.test("a closed launcher starts nothing", { skip }, async (t) => {
  const { run, launcher } = launcherBench(t);
  await run("true");
  await launcher.close();
  t.equal(launchThreads().length, 0);
  await t.rejects(run("true"), { name: "LaunchFailed", message: "the engine stops" });
});
