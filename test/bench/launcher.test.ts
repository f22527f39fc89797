import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";

const root = resolve(import.meta.dirname, "../..");
/** An older Node.js of this machine's own, if it has one. */
const older = (process.env["PATH"] ?? "")
  .split(":")
  .filter((folder) => !folder.includes("node_modules"))
  .map((folder) => join(folder, "node"))
  .find((node) => existsSync(node) && Number(versionOf(node).split(".")[0]) < 22);

function versionOf(node: string): string {
  return execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
}

function run(program: string, ...args: string[]) {
  const { status, stderr } = spawnSync(program, args, { cwd: root, encoding: "utf8" });
  return { status, stderr };
}

t.test("the benchmarks run on the Node.js that came with the packages", async (t) => {
  const { stderr } = run(process.execPath, "bench/run.ts", "no-such-part");
  t.match(stderr, /^no such part: no-such-part; there are cold, /);
  t.match(run(process.execPath, "bench/memory/run.ts", "--no-such-option").stderr, /no-such-option/);
});

t.test("an older Node.js says what to type instead", { skip: older ? false : "needs an older node" }, async (t) => {
  for (const script of ["bench/run.ts", "bench/memory/run.ts", "bench/knowledge/run.ts"]) {
    const { status, stderr } = run(older ?? "", script, "crash");
    t.equal(status, 1);
    t.match(
      stderr,
      new RegExp(`^the benchmarks need Node\\.js 24\\.12 .*\\n  node_modules/\\.bin/node ${script} crash\\n$`),
    );
  }
});
