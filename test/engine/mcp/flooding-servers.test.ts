import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";
import { fixture, serverBench } from "./tool-server-bench.ts";

const LIVE_MEMORY = pathToFileURL(resolve(import.meta.dirname, "../../fixtures/live-memory.mjs")).href;

/** One server for the floods whose calls succeed. */
const bench = serverBench(t);
await bench.load({ flood: fixture("floods") });
await bench.status("flood", "ready");

for (const [kind, what] of [
  ["one_line", "one line without an end"],
  ["lines", "lines that are no messages"],
  ["notifications", "messages that nobody asked for"],
  ["progress", "progress"],
  ["odd_progress", "progress that does not look like it"],
  ["list_changes", "changes of its list"],
  ["requests", "requests"],
  ["stderr", "words on its standard error"],
] as const) {
  t.test(`a flood of ${what} neither ends the call nor starves the engine nor fills the log`, async (t) => {
    const lines = bench.log.length;
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    t.same(await bench.call(`mcp__flood__${kind}`), { output: "done", error: null });
    clearInterval(ticking);
    t.ok(ticks > 0, "others had their turn");
    t.ok(bench.log.length - lines < 2000, `${bench.log.length - lines} lines of log`);
    t.match(bench.servers.list().servers, [{ status: "ready" }]);
  });
}

t.test("a response of 24 MiB is refused, and the server keeps running", async (t) => {
  // A server of its own: the tools of the other are listed again after its floods, perhaps in the middle of this line.
  const bench = serverBench(t);
  await bench.load({ flood: fixture("floods") });
  await bench.status("flood", "ready");
  t.match(await bench.call("mcp__flood__answer"), { output: null, error: /longer than the limit of 10485760/ });
  t.same(await bench.call("mcp__flood__lines"), { output: "done", error: null });
});

t.test("a flood of list changes lists the tools at most once a second", async (t) => {
  const bench = serverBench(t);
  const since = Date.now();
  await bench.load({ flood: fixture("floods") });
  await bench.status("flood", "ready");
  for (const kind of ["list_changes", "list_changes"]) await bench.call(`mcp__flood__${kind}`);
  const times = async () => Number((await bench.call("mcp__flood__times_listed")).output);
  await until("it is read again", async () => (await times()) > 1);
  const listed = await times();
  const seconds = Math.ceil((Date.now() - since) / 1000);
  t.ok(listed <= 2 + seconds, `${listed} times in ${seconds} s`);
});

t.test("an engine keeps less than 20 MB of floods of up to 24 MiB", async (t) => {
  const dataDir = t.testdir();
  mkdirSync(join(dataDir, "catalog"), { recursive: true });
  const flood = { ...fixture("floods"), permissions: { "*": "allow" } };
  writeFileSync(join(dataDir, "catalog/.mcp.json"), JSON.stringify({ mcpServers: { flood } }));
  const file = join(dataDir, "most-memory");
  const engine = await startEngine(t, {
    dataDir,
    nodeOptions: ["--expose-gc", `--import=${LIVE_MEMORY}?file=${pathToFileURL(file).href}`],
  });
  await until(
    "the server is ready",
    async () => (await engine.call("/assets/servers")).body.servers[0]?.status === "ready",
    45_000,
  );
  await engine.turn("warm", "/say hello");
  const mostMb = () => Number(readFileSync(file, "utf8"));
  const before = mostMb();
  const grown: number[] = [];
  for (const kind of ["list_changes", "progress", "notifications", "lines", "one_line"]) {
    const stream = await engine.execute({ task_id: kind, message: `/tool mcp__flood__${kind} {}\n/say done` });
    const frames = await stream.all(90_000);
    t.match(frames.find(({ event }) => event === "tool_result")?.data, { output: "done", error: null });
    grown.push(Math.round(mostMb() - before));
  }
  t.comment(`grown by ${grown.join(", ")} MB`);
  t.ok(Math.max(...grown) < 20, grown.join(", "));
});
