import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import t from "tap";
import { report, runConfined } from "../../src/sandbox/index.ts";

const skip = report().files ?? report().systemCalls ?? false;
const door = JSON.stringify(resolve(import.meta.dirname, "../../src/sandbox/index.ts"));

t.test("a program writes what it is given, and reads nothing else", { skip }, async (t) => {
  const folder = t.testdir({ given: { file: "given" }, other: { file: "other" } });
  const script = `cat ${folder}/given/file; echo new > ${folder}/given/new && echo wrote; cat ${folder}/other/file`;
  const { ended } = await runConfined(["sh", "-c", script], { write: [`${folder}/given`] });
  const { output, exitCode } = await ended;
  t.match(output, /^givenwrote\n.*other\/file: Permission denied/);
  t.equal(exitCode, 1);
});

t.test("a program over its memory is ended, and the limit is told", { skip }, async (t) => {
  const hog = "const all = []; for (;;) all.push(Buffer.alloc(8e6, 1));";
  const { ended } = await runConfined([process.execPath, "-e", hog], { memoryMb: 200 });
  t.match((await ended).limit, "memory");
});

t.test("`end` ends a program with what it started", { skip }, async (t) => {
  const program = await runConfined(["sh", "-c", "setsid sleep 600 & sleep 600"]);
  t.match(await program.end(), { limit: null });
});

t.test("the usage of a running program is that of all its processes", { skip }, async (t) => {
  const up = Promise.withResolvers<unknown>();
  const program = await runConfined(
    ["sh", "-c", `${process.execPath} -e 'console.log(1); setInterval(Number, 1e6)' & wait`],
    {
      onOutput: up.resolve,
    },
  );
  await up.promise;
  t.ok((program.usage()?.memoryBytes ?? 0) > 16 * 2 ** 20);
  await program.end();
  t.equal(program.usage(), null);
});

t.test("a program that cannot be started leaves nothing", { skip }, async (t) => {
  await t.rejects(runConfined(["no-such-program"], { write: ["/no/such/folder"] }), { name: "LaunchFailed" });
});

const confined = (before: string, after: string) =>
  spawnSync(
    process.execPath,
    ["--input-type=module", "-e", `import { confine } from ${door}; ${before}; confine({}); ${after}`],
    { encoding: "utf8" },
  );

t.test("a confined process reads nothing but the system's programs", { skip }, async (t) => {
  const folder = t.testdir({ secret: "the secret" });
  const read = `import("node:fs").then((fs) => fs.promises.readFile(${JSON.stringify(`${folder}/secret`)})).catch((error) => console.log(error.code))`;
  t.equal(confined("", read).stdout, "EACCES\n");
});

t.test("a process whose thread pool runs already is not confined half", { skip }, async (t) => {
  const early = `await (await import("node:fs/promises")).readFile("/etc/hosts")`;
  t.match(confined(early, "").stderr, "libuv-worker runs already");
});
