import t from "tap";
import { fixture, serverBench } from "./tool-server-bench.ts";

for (const [kind, what] of [
  ["one_line", "one line without an end"],
  ["lines", "lines that are no messages"],
  ["notifications", "messages that nobody asked for"],
  ["stderr", "words on its standard error"],
] as const) {
  t.test(`a flood of ${what} neither ends the call nor starves the engine nor fills its log`, async (t) => {
    const bench = serverBench(t);
    await bench.load({ flood: fixture("floods") });
    await bench.status("flood", "ready");
    const before = process.memoryUsage().rss;
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    t.same(await bench.call(`mcp__flood__${kind}`), { output: "done", error: null });
    clearInterval(ticking);
    t.ok(ticks > 0, "others had their turn");
    t.ok(process.memoryUsage().rss - before < 300 * 1024 * 1024, "it was not kept");
    t.ok(bench.log.length < 2000, `${bench.log.length} lines of log`);
    t.match(bench.servers.list().servers, [{ status: "ready" }]);
  });
}

t.test("an answer of a hundred megabytes is refused, and the server goes on", async (t) => {
  const bench = serverBench(t);
  await bench.load({ flood: fixture("floods") });
  await bench.status("flood", "ready");
  t.match(await bench.call("mcp__flood__answer"), { output: null, error: /longer than the 10485760 allowed/ });
  t.same(await bench.call("mcp__flood__lines"), { output: "done", error: null });
});
