import t from "tap";
import { until } from "../../helpers/until.ts";
import { fixture, serverBench } from "./tool-server-bench.ts";

/** One that asks very fast may hear "too many requests" too, which is no action. */
const counted = (actions: unknown) => {
  const counts: Record<string, number> = {};
  for (const action of JSON.parse(String(actions))) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
};

t.test("a server gets at most ten elicitations in each call", async (t) => {
  const bench = serverBench(t);
  await bench.load({ asks: fixture("asks") });
  await bench.status("asks", "ready");
  let asked = 0;
  const ask = async () => {
    asked++;
    return "accept";
  };
  for (const calls of [1, 2]) {
    // What it asked too fast for in the last call would count against it in this one.
    const mayAsk = Date.now() + 200;
    await until("its requests are counted anew", () => Date.now() > mayAsk);
    const { output } = await bench.call("mcp__asks__insists", {}, { ask });
    t.match(counted(output), { accept: 10, cancel: Number });
    t.equal(asked, calls * 10);
  }
  const told = bench.log.filter((line) => line.includes("more than 10 forms"));
  t.equal(told.length, 2, "each call is told of once");
  t.match(JSON.parse(told[0] ?? "{}"), { level: 40, tool_server: "asks" });
});

t.test("the number of questions in one call is limited", async (t) => {
  const bench = serverBench(t);
  await bench.load({ asks: fixture("asks") });
  await bench.status("asks", "ready");
  let asked = 0;
  const ask = async () => {
    asked++;
    return "words";
  };
  const { output } = await bench.call("mcp__asks__interrogates", {}, { ask });
  t.match(counted(output), { accept: 2, cancel: Number });
  t.equal(asked, 60);
});
