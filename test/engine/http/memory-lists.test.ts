import t from "tap";
import { ask } from "../../helpers/api.ts";
import { startEngine } from "../../helpers/engine.ts";

t.test("the memory of an engine can be listed", async (t) => {
  const engine = await startEngine(t);
  for (const name of ["one", "two", "three"]) {
    const stream = await engine.execute({ task_id: name, message: `/tool memory_note {"content":"${name}"}\n/say ok` });
    await stream.all();
  }
  const first = await engine.call("/memory/episodes?limit=2");
  t.match(first.body, { items: [{ task_id: "three" }, { task_id: "two" }], next_cursor: /^episodes\.\d+$/ });
  const rest = await engine.call(`/memory/episodes?cursor=${first.body.next_cursor}`);
  t.match(rest.body, { items: [{ task_id: "one" }], next_cursor: null });
  t.match((await engine.call("/memory/working")).body, { items: [{ content: "three", entry_type: "note" }, {}, {}] });
  t.match((await engine.call("/memory/trajectories")).body, {
    items: [{ steps: [{ tool: "memory_note", ok: true }] }, {}, {}],
  });
  t.same((await engine.call("/memory/knowledge")).body, { items: [], next_cursor: null });
  t.same((await engine.call("/memory/social")).body, { items: [], next_cursor: null });
});

t.test("a list asked for wrongly says what was expected", async (t) => {
  const engine = await startEngine(t);
  for (const [query, field] of [
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=many", "limit"],
    ["cursor=-1", "cursor"],
    ["cursor=", "cursor"],
    ["cursor=1e3", "cursor"],
    ["cursor=7", "cursor"],
    ["cursor=episodes.7", "cursor"],
    ["cursor=working.7.7", "cursor"],
  ] as const) {
    const answer = await engine.call(`/memory/working?${query}`);
    t.match(
      answer,
      { status: 400, body: { error: "INVALID_REQUEST", message: new RegExp(`^${field}: expected`) } },
      query,
    );
  }
  t.match(await engine.call("/memory/dreams"), { status: 404, body: { error: "NOT_FOUND" } });
  t.match(await ask(engine.url, "/memory/working"), { status: 401, body: { error: "INVALID_ENGINE_KEY" } });
});
