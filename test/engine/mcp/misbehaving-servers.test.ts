import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readStat } from "../../../src/sandbox/processes/process-table.ts";
import { until } from "../../helpers/until.ts";
import { fixture, serverBench } from "./tool-server-bench.ts";

const alive = (pid: number): boolean => readStat(pid) !== null;

t.test("a call to a server that never responds times out and is cancelled", async (t) => {
  const bench = serverBench(t, { timeoutMs: 500 });
  const notes = join(bench.workspaceDir, "notes");
  await bench.load({ mute: fixture("never-answers", notes) });
  await bench.status("mute", "ready");
  t.match(await bench.call("mcp__mute__wait"), { output: null, error: /TIMEOUT/ });
  await until("the server is told", () => existsSync(notes) && readFileSync(notes, "utf8").includes("cancelled"));
});

t.test("a server that never connects delays no other, and can be closed", async (t) => {
  const bench = serverBench(t);
  await bench.load({ silent: fixture("never-connects"), fine: fixture("shows") });
  await bench.status("fine", "ready");
  t.match(await bench.status("silent", "connecting"), { tools: [] });
  await bench.load({ fine: fixture("shows") });
  t.match(bench.servers.list().servers, [{ name: "fine", status: "ready" }], "the other was not touched");
});

t.test("a server that exits during a call fails it with its standard error, and restarts", async (t) => {
  const bench = serverBench(t);
  await bench.load({ mortal: fixture("dies-in-call") });
  await bench.status("mortal", "ready");
  const tools = bench.servers.tools();
  const first = await bench.call("mcp__mortal__live");
  t.match(await bench.call("mcp__mortal__die"), {
    output: null,
    error: /it exited with 3; standard error: out of cheese/,
  });
  t.match(await bench.status("mortal", "restarting"), { error: /exited with 3/, tools: [{}, {}] });
  t.match(await bench.call("mcp__mortal__live"), { output: null, error: /not connected .* reconnects by itself/ });
  await bench.status("mortal", "ready");
  const second = await bench.call("mcp__mortal__live");
  t.match(second, { output: /^alive as \d+$/, error: null });
  t.not(second.output, first.output, "another process");
  t.equal(bench.servers.tools(), tools, "what the model is shown has not changed");
});

t.test("invalid lines on standard output do not affect calls", async (t) => {
  const bench = serverBench(t);
  await bench.load({ noisy: fixture("prints-garbage") });
  await bench.status("noisy", "ready");
  t.same(await bench.call("mcp__noisy__speak"), { output: "after all that", error: null });
});

t.test("responses with unknown ids are ignored", async (t) => {
  const bench = serverBench(t);
  await bench.load({ wrong: fixture("wrong-ids") });
  await bench.status("wrong", "ready");
  for (let call = 0; call < 3; call++) t.same(await bench.call("mcp__wrong__speak"), { output: "yours", error: null });
});

t.test("oversized tool definitions are left out with a reason, and the rest is offered", async (t) => {
  const bench = serverBench(t);
  await bench.load({ huge: fixture("huge-schemas") });
  const { tools } = await bench.status("huge", "ready");
  const found = (name: string) => tools.find(({ tool }) => tool === name);
  t.match(found("wide"), { status: "left_out", reason: /longer than 65536/ });
  t.match(found("deep"), { status: "left_out", reason: /nested deeper/ });
  t.match(found("many599"), { status: "left_out", reason: /more than 512 tools/ });
  t.match(found("fine"), { status: "offered", description: "fine" }, "of two with one name the first");
  t.ok((found("wordy")?.description.length ?? 0) < 5000);
  t.ok(bench.servers.tools().every(({ name }) => /^[A-Za-z0-9_-]{1,64}$/.test(name)));
  const long = tools.find(({ tool }) => tool.startsWith("a name"))?.name ?? "";
  t.match(await bench.call(long), { output: /called a name with blanks/ });
});

t.test("a tool list nested too deep fails the server with that reason", async (t) => {
  const bench = serverBench(t);
  await bench.load({ abyss: fixture("huge-schemas", "2000"), fine: fixture("shows") });
  t.match(await bench.status("abyss", "failed"), { error: /nested too deep/, tools: [] });
  await bench.status("fine", "ready");
});

t.test("nothing that a server started outlives it, not even what left its group and ignores TERM", async (t) => {
  const bench = serverBench(t);
  const pids = join(bench.workspaceDir, "pids");
  await bench.load({ lingers: fixture("lingers", pids) });
  await bench.status("lingers", "ready");
  const all = readFileSync(pids, "utf8").split(" ").map(Number);
  t.equal(all.filter(alive).length, 3);
  await bench.servers.close();
  await until("all are gone", () => !all.some(alive));
});

t.test("a killed server leaves no processes, and restarts", async (t) => {
  const bench = serverBench(t);
  const pids = join(bench.workspaceDir, "pids");
  await bench.load({ lingers: fixture("lingers", pids) });
  await bench.status("lingers", "ready");
  const first = readFileSync(pids, "utf8").split(" ").map(Number);
  process.kill(first[0] as number, "SIGKILL");
  await bench.status("lingers", "restarting");
  await until("all are gone", () => !first.some(alive));
  await bench.status("lingers", "ready");
});

t.test("a missing command is reported and retried", async (t) => {
  const bench = serverBench(t);
  await bench.load({
    missing: { command: "no-such-program" },
    nowhere: { ...fixture("shows"), cwd: "no/such/folder" },
  });
  t.match(await bench.status("missing", "failed"), { error: /it exited with 127; standard error: .*no-such-program/ });
  t.match(await bench.status("nowhere", "failed"), {
    error: /cwd: expected a folder, but no\/such\/folder does not exist/,
  });
});

t.test("a server that exits at the newest protocol's probe gets the legacy handshake", async (t) => {
  const bench = serverBench(t);
  await bench.load({ old: fixture("exits-when-probed") });
  await bench.status("old", "ready");
  t.same(await bench.call("mcp__old__speak"), { output: "here", error: null });
});

t.test("a server that is reconfigured repeatedly never runs twice, and leaves no process", async (t) => {
  const bench = serverBench(t);
  const pids = ["a", "b", "c", "d"].map((name) => join(bench.workspaceDir, name));
  const load = (file: string) => bench.load({ lingers: fixture("lingers", file) });
  const [first = "", second = "", third = "", last = ""] = pids;
  void load(first);
  await bench.status("lingers", "ready");
  const began = readFileSync(first, "utf8").split(" ").map(Number);
  void load(second);
  void bench.load({});
  void load(third);
  void load(last);
  await bench.status("lingers", "ready");
  t.notOk(began.some(alive), "the one before had ended first");
  t.notOk(existsSync(second) || existsSync(third), "what was replaced before it began never did");
  const lives = readFileSync(last, "utf8").split(" ").map(Number);
  void bench.load({});
  await bench.servers.close();
  t.notOk(lives.some(alive));
});
