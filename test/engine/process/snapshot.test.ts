import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { makeSnapshot } from "../../../scripts/snapshot/make-snapshots.ts";
import { startEngine } from "../../helpers/engine.ts";

const root = resolve(import.meta.dirname, "../../..");
const dist = join(root, "dist");
const entry = join(root, "bin/orch-engine.cjs");
const printer = join(root, "test/fixtures/print-process.cjs");
const restore = ["--snapshot-blob", join(dist, "engine-sandbox.blob")];

/** Runs an engine that ends at once, for it has no launch file unless the environment names one. */
const run = (options: readonly string[], environment: Readonly<Record<string, string>> = {}, cwd = "/") =>
  spawnSync(process.execPath, [...options, entry], { env: environment, cwd, encoding: "utf8" });

const facts = (options: readonly string[], environment: Readonly<Record<string, string>> = {}, cwd?: string) =>
  JSON.parse(run(["--require", printer, ...options], environment, cwd).stdout);

t.test("a restored process has its own arguments, environment, folder, time zone and locale", (t) => {
  const environment = { TZ: "Asia/Tokyo", LC_ALL: "de_DE.UTF-8" };
  const restored = facts(restore, environment, "/usr");
  t.match(restored, { argv: [entry], cwd: "/usr", environment: ["LC_ALL", "TZ"] });
  t.match(restored, { hour: 9, zone: "Asia/Tokyo", locale: "de-DE" });
  const loaded = facts([], environment, "/usr");
  for (const name of ["argv", "title", "cwd", "environment", "hour", "zone", "locale", "heapBytes"])
    t.same(restored[name], loaded[name], name);
  t.ok(restored.startedMsAgo < 60_000, "startedMsAgo counts from the start of the process");
  t.end();
});

t.test("two restored processes share no random numbers", (t) => {
  const [one, other] = [facts(restore), facts(restore)];
  for (const index of [0, 1]) t.not(one.random[index], other.random[index]);
  t.end();
});

t.test("the limit of the heap is that of the process", (t) => {
  for (const limit of ["--max-old-space-size=100", "--max-old-space-size=900"])
    t.equal(facts([limit, ...restore]).heapBytes, facts([limit]).heapBytes, limit);
  t.end();
});

t.test("a thread of a restored process can load every built-in module", (t) => {
  const threads = join(root, "test/fixtures/load-in-thread.cjs");
  t.match(run(["--require", threads, ...restore]).stdout, "loaded all");
  t.end();
});

t.test("a stack trace names the line of the program", (t) => {
  const launchFile = join(t.testdir(), "launch.json");
  writeFileSync(launchFile, '{ "engine_id": 1 }');
  const placeOf = (options: readonly string[]) =>
    /at decodeLaunch \((.*:\d+:\d+)\)/.exec(run(options, { ORCH_LAUNCH_FILE: launchFile }).stderr)?.[1];
  t.match(placeOf(restore), /^engine-sandbox\.cjs:\d+:\d+$/);
  t.equal(placeOf(restore), placeOf([]), "the same with the snapshot and without");
  t.end();
});

t.test("a snapshot keeps nothing of the builder's environment", async (t) => {
  const program = join(t.testdir(), "engine-sandbox");
  copyFileSync(join(dist, "engine-sandbox.cjs"), `${program}.cjs`);
  process.env["LLM_API_KEY"] = "canary-of-the-builder";
  t.teardown(() => delete process.env["LLM_API_KEY"]);
  await makeSnapshot(program);
  const snapshot = readFileSync(`${program}.blob`);
  t.ok(snapshot.includes("LLM_API_KEY"), "the program's texts are readable in it");
  t.notOk(snapshot.includes("canary-of-the-builder"));
});

t.test("a program that loads a module which Node.js has not verified has no snapshot", async (t) => {
  const program = join(t.testdir(), "engine-early");
  writeFileSync(`${program}.cjs`, 'require("node:worker_threads");');
  await t.rejects(makeSnapshot(program), /worker_threads/, "Node.js warns, and the build fails");
});

t.test("restored engines give their turns different ids", async (t) => {
  const idsOf = async () => {
    const engine = await startEngine(t);
    const frames = await engine.turn("task", "/say hello");
    return frames.map(({ data }) => data.turn_id).filter((id) => id !== undefined);
  };
  const [one, other] = [await idsOf(), await idsOf()];
  t.not(one.length, 0);
  t.not(one[0], other[0]);
});
