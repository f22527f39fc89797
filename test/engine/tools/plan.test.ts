import { mkdirSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { PlanTable } from "../../../src/engine/store/plans.ts";
import { planTool } from "../../../src/engine/tools/plan.ts";
import { toolBench } from "../../helpers/tool-context.ts";

function bench(t: Test) {
  const parts = toolBench(t);
  const dataDir = join(parts.outside, "data");
  mkdirSync(dataDir);
  let store = openStore(dataDir);
  t.teardown(() => store.close());
  const reopen = () => {
    store.close();
    return (store = openStore(dataDir));
  };
  const tool = planTool(new PlanTable(store));
  return { ...parts, reopen, plan: (input: object, more = {}) => parts.run(tool, { ...input }, more) };
}

t.test("a plan is set, updated and shown, and each change is noted", async (t) => {
  const { plan, notes } = bench(t);
  t.same((await plan({})).output, { plan: [], left: 0 });
  t.same(notes, [], "to look at it is no change");
  const items = [{ text: "look" }, { text: "do\n  it", status: "in_progress" }, { text: "tell" }];
  t.same((await plan({ items })).output, { plan: ["1. [ ] look", "2. [>] do it", "3. [ ] tell"], left: 3 });
  const update = [
    { item: 1, status: "cancelled" },
    { item: 2, status: "completed" },
    { item: 3, text: "tell all" },
  ];
  t.match((await plan({ update })).output, { plan: ["1. [-] look", "2. [x] do it", "3. [ ] tell all"], left: 1 });
  t.same(notes, [
    ["summary", "Plan:\n1. [ ] look\n2. [>] do it\n3. [ ] tell"],
    ["summary", "Plan:\n1. [-] look\n2. [x] do it\n3. [ ] tell all"],
  ]);
  t.match((await plan({ items: [] })).output, { plan: [], left: 0 });
});

t.test("each task has its own plan, which survives a restart", async (t) => {
  const { plan, reopen } = bench(t);
  await plan({ items: [{ text: "of one" }] }, { taskId: "one" });
  await plan({ items: [{ text: "of two" }] }, { taskId: "two" });
  t.match((await plan({}, { taskId: "one" })).output, { plan: ["1. [ ] of one"] });
  t.same(new PlanTable(reopen()).ofTask("two"), [{ text: "of two", status: "pending" }]);
});

t.test("an update of a missing item changes nothing", async (t) => {
  const { plan, notes } = bench(t);
  await plan({ items: [{ text: "only" }] });
  const update = [
    { item: 1, status: "completed" },
    { item: 2, status: "completed" },
  ];
  t.match((await plan({ update })).error, "there is no item 2; the plan has 1");
  t.match((await plan({})).output, { plan: ["1. [ ] only"] });
  t.equal(notes.length, 1);
  for (const input of [
    { items: [{ text: "" }] },
    { items: [{ text: " \n" }] },
    { items: [{ text: "x", status: "finished" }] },
    { items: "x" },
    { items: Array.from({ length: 51 }, () => ({ text: "x" })) },
    { update: [{ item: 0 }] },
    { update: [{ status: "completed" }] },
  ]) {
    t.match((await plan(input)).error, /^invalid arguments/, JSON.stringify(input).slice(0, 60));
  }
});
