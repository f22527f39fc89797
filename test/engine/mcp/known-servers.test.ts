import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { freePort } from "../../helpers/daemon.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { type BenchOptions, fixture, rememberedPins, rememberedServers, serverBench } from "./tool-server-bench.ts";

/** What the store of one engine keeps, for its processes one after the other. */
const store = (): Required<Pick<BenchOptions, "pins" | "known">> => ({
  pins: rememberedPins(),
  known: rememberedServers(),
});
const turn = (more: object = {}) => ({
  turnId: "turn",
  signal: new AbortController().signal,
  parking: () => false,
  ...more,
});
const waits = (log: readonly string[]) =>
  log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "waited for new tool servers");

t.test("the next process offers the tools at once, and starts the server at the first call", async (t) => {
  const kept = store();
  const folder = freshFolder(t);
  const [gate, starts] = [join(folder, "gate"), join(folder, "starts")];
  writeFileSync(gate, "");
  const entry = { late: fixture("answers-when", gate, starts) };
  const first = serverBench(t, kept);
  await first.load(entry);
  await first.status("late", "ready");
  await first.servers.close();

  const second = serverBench(t, kept);
  await second.load(entry);
  const offered = second.servers.tools();
  t.match(offered, [{ name: "mcp__late__speak" }]);
  t.match(second.servers.list().servers, [{ status: "idle", tools: [{ tool: "speak", status: "offered" }] }]);
  await second.servers.toolsReady(turn());
  t.equal(readFileSync(starts, "utf8"), ".", "only the first process has started it");
  const calls = await Promise.all([second.call("mcp__late__speak"), second.call("mcp__late__speak")]);
  for (const one of calls) t.same(one, { output: "here at last", error: null });
  t.equal(readFileSync(starts, "utf8"), "..", "two calls start it once");
  t.equal(second.servers.tools(), offered, "the list for the model stays identical");
  t.same(waits(second.log), []);
});

t.test("a tool that changed meanwhile is not called under its old definition, and is held", async (t) => {
  const kept = store();
  const file = join(freshFolder(t), "tools.json");
  const define = (...tools: readonly (readonly [string, object])[]) => writeFileSync(file, JSON.stringify(tools));
  define(["pay", { description: "pays" }], ["stays", {}], ["goes", {}]);
  const entry = { bank: fixture("changes", file) };
  const first = serverBench(t, kept);
  await first.load(entry);
  await first.status("bank", "ready");
  await first.servers.close();

  define(["pay", { description: "pays twice" }], ["stays", {}]);
  const second = serverBench(t, kept);
  await second.load(entry);
  t.equal(second.tool("mcp__bank__pay").description, "pays");
  const goes = second.call("mcp__bank__goes");
  t.match(await second.call("mcp__bank__pay"), { output: null, error: /changed or was removed.*not called/ });
  t.match(await goes, { output: null, error: /changed or was removed.*not called/ });
  await second.status("bank", "held");
  t.same(
    second.servers.tools().map(({ name }) => name),
    ["mcp__bank__stays"],
  );
  t.match(await second.call("mcp__bank__stays"), { output: "called stays", error: null });
  await second.servers.close();

  const third = serverBench(t, kept);
  await third.load(entry);
  t.same(
    third.servers.tools().map(({ name }) => name),
    ["mcp__bank__stays"],
    "what is held is not offered by the next process either",
  );
  await third.status("bank", "held");
  t.pass("which connects, so that a person can see and allow it");
});

t.test("a turn waits for a server that was never seen, until its tools are listed", async (t) => {
  const gate = join(freshFolder(t), "gate");
  const bench = serverBench(t);
  await bench.load({ slow: fixture("answers-when", gate), other: fixture("says-and-waits") });
  const [ready, parked, cancelled] = [{ over: false }, { over: false }, new AbortController()];
  const begun = bench.servers.toolsReady(turn()).then(() => (ready.over = true));
  const stopped = bench.servers.toolsReady(turn({ parking: () => parked.over }));
  const aborted = bench.servers.toolsReady(turn({ signal: cancelled.signal }));
  parked.over = true;
  await stopped;
  cancelled.abort();
  await aborted;
  t.notOk(ready.over, "a turn that is parked or cancelled meanwhile ends its own wait");
  t.same(waits(bench.log), []);
  await bench.load({ slow: fixture("answers-when", gate) });
  writeFileSync(gate, "");
  await begun;
  t.match(bench.tool("mcp__slow__speak"), { name: "mcp__slow__speak" });
  t.match(waits(bench.log), [{ turn_id: "turn", tool_servers: ["slow", "other"], missing: ["other"] }]);
});

t.test("a dead server is waited for once, by this and the next processes", async (t) => {
  const kept = store();
  const entry = {
    silent: fixture("never-connects"),
    refused: { url: `http://127.0.0.1:${await freePort()}/mcp` },
    absent: { command: "no-such-program" },
  };
  const first = serverBench(t, kept);
  await first.load(entry);
  await Promise.all([first.servers.toolsReady(turn()), first.servers.toolsReady(turn())]);
  await first.servers.toolsReady(turn());
  const names = ["silent", "refused", "absent"];
  t.match(waits(first.log), { length: 2 }, "the third turn did not wait");
  t.match(waits(first.log)[0], { tool_servers: names, missing: names });
  await first.servers.close();

  const second = serverBench(t, kept);
  await second.load(entry);
  await second.servers.toolsReady(turn());
  t.same(waits(second.log), []);
  const elsewhere = { ...entry, silent: fixture("never-connects", "elsewhere") };
  await second.load(elsewhere);
  await second.servers.toolsReady(turn());
  t.match(waits(second.log), [{ tool_servers: ["silent"] }], "another program is another server");
});

t.test("a server that is gone fails the call of its known tool, and comes back by itself", async (t) => {
  const kept = store();
  const folder = freshFolder(t);
  const [needed, tries] = [join(folder, "needed"), join(folder, "tries")];
  const entry = { late: fixture("fails-until", needed, tries) };
  writeFileSync(needed, "");
  const first = serverBench(t, kept);
  await first.load(entry);
  await first.status("late", "ready");
  await first.servers.close();

  rmSync(needed);
  const second = serverBench(t, kept);
  await second.load(entry);
  t.match(await second.call("mcp__late__speak"), {
    output: null,
    error: /not connected \(it exited with 1.*by itself/,
  });
  t.match(second.tool("mcp__late__speak"), {}, "it stays in the list, which would change the prompt");
  writeFileSync(needed, "");
  await second.status("late", "ready");
  t.match(await second.call("mcp__late__speak"), { output: /alive/, error: null });
});

t.test("an old listing is renewed during a turn, and a reload renews any", async (t) => {
  const kept = store();
  const folder = freshFolder(t);
  const [gate, starts] = [join(folder, "gate"), join(folder, "starts")];
  writeFileSync(gate, "");
  const entry = { late: fixture("answers-when", gate, starts) };
  const first = serverBench(t, kept);
  await first.load(entry);
  await first.status("late", "ready");
  await first.servers.close();

  const old = serverBench(t, {
    ...kept,
    known: {
      ...kept.known,
      find(...of) {
        const found = kept.known.find(...of);
        return found?.listing ? { ...found, listing: { ...found.listing, at: Date.now() - 7_200_000 } } : found;
      },
    },
  });
  await old.load(entry);
  t.match(old.servers.list().servers, [{ status: "idle" }], "not before a turn");
  await old.servers.toolsReady(turn());
  await old.status("late", "ready");
  t.same(waits(old.log), [], "the turn does not wait");
  await old.servers.close();

  const reloaded = serverBench(t, kept);
  await reloaded.load(entry);
  t.match(reloaded.servers.list().servers, [{ status: "idle" }]);
  await reloaded.load(entry);
  await reloaded.status("late", "ready");
});

t.test("an idle server that is removed is never started", async (t) => {
  const kept = store();
  const folder = freshFolder(t);
  const [gate, starts] = [join(folder, "gate"), join(folder, "starts")];
  writeFileSync(gate, "");
  const entry = { late: fixture("answers-when", gate, starts) };
  const first = serverBench(t, kept);
  await first.load(entry);
  await first.status("late", "ready");
  await first.servers.close();

  const second = serverBench(t, kept);
  await second.load(entry);
  const tool = second.tool("mcp__late__speak");
  await second.load({});
  const context = { signal: new AbortController().signal, progress: () => undefined };
  await t.rejects(Promise.resolve(tool.run({}, context as never)), /no longer configured/);
  t.equal(readFileSync(starts, "utf8"), ".");
});
