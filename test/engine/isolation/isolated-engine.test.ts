import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { readStat } from "../../../src/sandbox/processes/process-table.ts";
import { type EngineOptions, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";
import { agentFile } from "../catalog/catalog-bench.ts";
import { fixture } from "../mcp/tool-server-bench.ts";
import { cannotConfine } from "../../sandbox/programs/launcher-bench.ts";
import { CONFINED } from "../../helpers/confined.ts";

const skip = cannotConfine;
const root = resolve(import.meta.dirname, "../../..");
/** Where the programs of test servers are, outside of what tools may read. */
const SERVERS = [join(root, "test/fixtures"), join(root, "node_modules")];

/** An engine with all that confines it, whose commands need no permission. */
async function isolatedEngine(
  t: Test,
  {
    dataDir = t.testdir(),
    mcpServers = {},
    ...options
  }: EngineOptions & { mcpServers?: Readonly<Record<string, unknown>> } = {},
): Promise<TestEngine> {
  const agents = join(dataDir, "catalog/agents");
  mkdirSync(agents, { recursive: true });
  writeFileSync(join(agents, "default.md"), agentFile("default", "permissions:\n  run_command: allow\n"));
  writeFileSync(join(dataDir, "catalog/.mcp.json"), JSON.stringify({ mcpServers }));
  return startEngine(t, { ...options, dataDir, isolation: { ...CONFINED, read: SERVERS } });
}

async function run(engine: TestEngine, command: string) {
  const frames = await engine.turn("task", `/tool run_command ${JSON.stringify({ command })}\n/say done`);
  const { data } = frames.find(({ event }) => event === "tool_result") ?? {};
  return data as { readonly output: { readonly exit_code: number; readonly output: string }; readonly error: unknown };
}

const server = (engine: TestEngine, name: string, status: string) =>
  until(`${name} is ${status}`, async () => {
    const { body } = await engine.call("/assets/servers");
    return body.servers.find((one: { name: string; status: string }) => one.name === name && one.status === status);
  });

t.test("a command of an isolated engine reaches its workspace, and not the engine", { skip }, async (t) => {
  const engine = await isolatedEngine(t);
  const { pid = 0 } = engine.process;
  t.match(await run(engine, "echo kept > note && cat note && mktemp"), {
    output: { exit_code: 0, output: new RegExp(`^kept\n${engine.dataDir}/tmp/`) },
  });
  for (const command of [
    "cat ../engine.db",
    "cat ../catalog/agents/default.md",
    `cat /proc/${pid}/environ`,
    `kill -0 ${pid}`,
    "ls ..",
  ])
    t.match(await run(engine, command), { output: { output: /Permission denied|not permitted/ } }, command);
  t.equal(await engine.stop(), 0);
});

t.test("an engine reads its product's catalog and no other's, and its tools read neither", { skip }, async (t) => {
  const [own, other] = [freshFolder(t, "own-catalog"), freshFolder(t, "other-catalog")];
  const [mine, theirs] = ["1".repeat(64), "2".repeat(64)];
  for (const folder of [join(own, mine), join(other, theirs)]) {
    mkdirSync(join(folder, "agents"), { recursive: true });
    writeFileSync(join(folder, "agents/clerk.md"), agentFile("clerk"));
  }
  symlinkSync(join(other, theirs), join(own, theirs));
  const productCatalog = { folder: own, version: 1, digest: mine };
  const use = { body: { version: 2, digest: theirs } };
  const engine = await isolatedEngine(t, { productCatalog });
  const { body } = await engine.call("/assets/catalog");
  t.ok(body.agents.some(({ name }: { name: string }) => name === "clerk"));
  t.match(await engine.control("/control/catalog", use), {
    status: 422,
    body: { message: /cannot be read \(EACCES\)/ },
  });
  for (const path of [join(own, mine, "agents/clerk.md"), join(other, theirs, "agents/clerk.md")])
    t.match(await run(engine, `cat ${path}`), { output: { output: /Permission denied/ } }, path);
  t.match(await run(engine, `ls ${own}`), { output: { output: /Permission denied/ } });
  t.equal(await engine.stop(), 0);
  const free = await startEngine(t, { productCatalog });
  t.match(await free.control("/control/catalog", use), { status: 200 }, "without isolation it could");
});

t.test("a tool server of an isolated engine works, and dies with the engine", { skip }, async (t) => {
  const dataDir = t.testdir();
  const pids = join(dataDir, "workspace/pids");
  const engine = await isolatedEngine(t, { dataDir, mcpServers: { lingers: fixture("lingers", pids) } });
  await server(engine, "lingers", "ready");
  const all = readFileSync(pids, "utf8").split(" ").map(Number);
  t.equal(all.filter((pid) => readStat(pid) !== null).length, 3);
  await engine.stop("SIGKILL");
  const [inGroup = 0] = all;
  await until("the server is gone", () => readStat(inGroup) === null);
  const again = await isolatedEngine(t, { dataDir });
  for (const pid of all.filter((one) => readStat(one) !== null)) process.kill(pid, "SIGKILL");
  t.equal(await again.stop(), 0);
});

t.test("a tool server whose sandbox cannot be made fails with the reason", { skip }, async (t) => {
  const sandbox = { write: ["missing"] };
  const engine = await isolatedEngine(t, { mcpServers: { one: { ...fixture("shows"), sandbox } } });
  t.match(await server(engine, "one", "failed"), { error: /its sandbox names .*missing, which cannot be opened/ });
});

t.test("each start of an engine empties the temporary folder, and keeps the cache", { skip }, async (t) => {
  const dataDir = t.testdir({ tmp: { deep: { old: "x" } }, "tmp-left": { old: "x" }, cache: { kept: "y" } });
  const engine = await isolatedEngine(t, { dataDir });
  t.match(await run(engine, "ls $TMPDIR; cat $XDG_CACHE_HOME/kept"), { output: { exit_code: 0, output: "y" } });
  await until("the old files are gone", () => !readdirSync(dataDir).some((name) => name.startsWith("tmp-")));
});

t.test("a running engine starts commands although its installation was replaced", { skip }, async (t) => {
  const installation = t.testdir({ bin: {}, dist: {} });
  copyFileSync(join(root, "bin/orch-engine.cjs"), join(installation, "bin/orch-engine.cjs"));
  for (const name of ["engine-confine", "engine-sandbox", "engine-launch-worker", "engine-supervisor-worker"])
    copyFileSync(join(root, `dist/${name}.cjs`), join(installation, `dist/${name}.cjs`));
  const settings = { ENGINE_LOG_LEVEL: "DEBUG" };
  const engine = await isolatedEngine(t, { installation, settings, dataDir: join(installation, "data") });
  await until("all is loaded", () => engine.output().includes("provider loaded"));
  rmSync(join(installation, "dist"), { recursive: true });
  t.match(await run(engine, "echo fine"), { output: { exit_code: 0, output: "fine\n" } });
  t.notOk(existsSync(join(installation, "dist")));
});
