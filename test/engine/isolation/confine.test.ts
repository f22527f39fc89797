import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ENGINE_EXITS } from "../../../src/contract/engine/exit.ts";
import { landlockAbi } from "../../../src/sandbox/landlock/landlock.ts";
import { nativeProblem } from "../../../src/sandbox/system/system-calls.ts";
import { launchEngine, startEngine } from "../../helpers/engine.ts";
import { temporaryFolder } from "../../helpers/run.ts";
import { until } from "../../helpers/until.ts";

const ISOLATED = { engine: true, tools: false, sockets: false, required: false, read: [] };
const skip = landlockAbi().problem ?? false;

t.test("an isolated engine runs a turn with its own store", { skip }, async (t) => {
  const engine = await startEngine(t, { isolation: ISOLATED });
  const frames = await engine.turn("task", "/say hello");
  t.match(frames.at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
  t.equal(await engine.stop(), 0);
  t.notMatch(engine.output(), /ExperimentalWarning/);
});

t.test("an isolated engine has no capability, no way to gain one, and writes no core dump", { skip }, async (t) => {
  const engine = await startEngine(t, { isolation: ISOLATED });
  const status = readFileSync(`/proc/${engine.process.pid}/status`, "utf8");
  t.match(status, /^CapPrm:\t0+$/m);
  t.match(status, /^CapEff:\t0+$/m);
  t.match(status, /^CapAmb:\t0+$/m);
  t.match(status, /^NoNewPrivs:\t1$/m);
  t.match(readFileSync(`/proc/${engine.process.pid}/limits`, "utf8"), /^Max core file size +0 +0/m);
});

t.test(
  "the launch file limits the processes of a user that only this engine has",
  { skip: nativeProblem() ?? false },
  async (t) => {
    const limitOf = ({ process: { pid } }: { readonly process: { readonly pid?: number | undefined } }) =>
      /^Max processes +(\S+ +\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1]?.split(/ +/);
    const limited = await startEngine(t, { userTasks: 320 });
    t.same(limitOf(limited), ["320", "320"]);
    const shared = await startEngine(t);
    t.same(limitOf(shared), limitOf({ process }), "none without it");
  },
);

t.test("an isolated engine reads nothing outside its folder and its program", { skip }, async (t) => {
  const outside = temporaryFolder("confine-");
  t.teardown(() => rmSync(outside, { recursive: true }));
  writeFileSync(join(outside, "neighbour.txt"), "secret of a neighbour");
  const engine = await startEngine(t, {
    isolation: ISOLATED,
    nodeOptions: ["--require", reader(outside)],
  });
  await until("the file was tried three ways", () => engine.output().split("read outside:").length === 4);
  for (const way of ["sync", "promise", "worker"]) t.match(engine.output(), `read outside: ${way} EACCES`);
  t.notMatch(engine.output(), /secret of a neighbour/);
});

/** A program to load first, which reads the neighbour's file once the engine's own first code has run. */
function reader(folder: string): string {
  const program = join(folder, "reader.cjs");
  const file = JSON.stringify(join(folder, "neighbour.txt"));
  writeFileSync(
    program,
    `const fs = require("node:fs"); const { isMainThread, Worker } = require("node:worker_threads");
const print = (way, text) => process.stderr.write("read outside: " + way + " " + text + "\\n");
const sync = (way) => { try { print(way, fs.readFileSync(${file}, "utf8")); } catch (error) { print(way, error.code); } };
if (isMainThread) setImmediate(() => {
  sync("sync");
  fs.promises.readFile(${file}, "utf8").then((text) => print("promise", text), ({ code }) => print("promise", code));
  new Worker(\`try { require("node:fs").readFileSync(\${JSON.stringify(${file})}); } catch (error) { require("node:worker_threads").parentPort.postMessage(error.code); }\`, { eval: true, execArgv: [] })
    .on("message", (code) => print("worker", code));
});`,
  );
  return program;
}

t.test("an engine whose promised isolation cannot be applied does not start and says why", async (t) => {
  const engine = await launchEngine(t, {
    isolation: ISOLATED,
    nodeOptions: ["--no-experimental-ffi"],
    snapshot: false,
  });
  await until("it exits", () => engine.process.exitCode !== null);
  t.equal(engine.process.exitCode, ENGINE_EXITS.isolation_failed.code);
  t.match(engine.output(), /^the engine cannot start: isolation: Node\.js \S+ has no node:ffi.*ORCH_ISOLATION/);
});

t.test("an engine that must keep hosts does not start where they are kept by port only", { skip }, async (t) => {
  const isolation = { ...ISOLATED, tools: true, required: true };
  const engine = await launchEngine(t, { isolation, policy: { tool_network: "none" }, snapshot: false });
  await until("it exits", () => engine.process.exitCode !== null);
  t.equal(engine.process.exitCode, ENGINE_EXITS.isolation_failed.code);
  t.match(engine.output(), /isolation: this host keeps tool_network by port only/);
  const open = await startEngine(t, { isolation });
  t.equal((await open.call("/health")).status, 200, "with open it does");
});
