import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { BOUND_KEY_HEADER, writeBoundKey } from "../../../src/contract/engine/task-bounds.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";

const dataDir = freshFolder(t);
mkdirSync(join(dataDir, "catalog/agents"), { recursive: true });
writeFileSync(
  join(dataDir, "catalog/agents/clerk.md"),
  "---\nname: clerk\ndescription: Files papers.\n---\nYou file papers.\n",
);
let engine = await startEngine(t, { dataDir });
const restarted = () => startEngine(t, { dataDir, key: engine.key });
const tool = { name: "get_selection", description: "The selected text.", input_schema: { type: "object" } };
const create = (body: object) => engine.call("/tasks", { method: "POST", body });
const record = async (id: string) => (await engine.call(`/tasks/${id}?defaults=true`)).body;

t.test("a task that was created has its defaults in each turn, also after the engine was killed", async (t) => {
  const defaults = { agent: "clerk", client_tools: [tool] };
  t.equal((await create({ task_id: "t1", defaults })).status, 201);
  await engine.stop("SIGKILL");
  engine = await restarted();
  const stream = await engine.execute({ task_id: "t1", message: "/tool get_selection {}\n/say done" });
  const { data } = await stream.first("tool_call");
  t.match(data, { tool: "get_selection", runs: "client" });
  await engine.call("/tools/respond", { body: { tool_call_id: data.tool_call_id, output: "x" } });
  await stream.all();
  t.match(await record("t1"), { agent: "clerk", defaults, message_count: 2 });
});

t.test("a message that says something else has its own", async (t) => {
  await create({ task_id: "t2", defaults: { agent: "clerk" } });
  await engine.turn("t2", "/say hello", { agent: "default" });
  t.equal((await record("t2")).agent, "default");
});

t.test("a task without a title gets the first words of its first message, and one with a title keeps it", async (t) => {
  await create({ task_id: "t3" });
  t.equal((await record("t3")).title, "");
  await engine.turn("t3", "/say hello there");
  t.match(await record("t3"), { title: "/say hello there", title_source: "first_words", defaults: {} });
  await create({ task_id: "t4", title: "Printers" });
  await engine.turn("t4", "/say hello there");
  t.match(await record("t4"), { title: "Printers", title_source: "user" });
  const { body } = await engine.call("/tasks?q=printers");
  t.strictSame(
    body.items.map((one: { task_id: string }) => one.task_id),
    ["t4"],
  );
});

t.test("defaults are replaced, and a fork has those of its task", async (t) => {
  await create({ task_id: "t5", defaults: { agent: "clerk", effort: "low" } });
  await engine.call("/tasks/t5", { method: "PATCH", body: { defaults: { client_tools: [tool] } } });
  await engine.turn("t5", "/say hello");
  await engine.call("/tasks/t5/fork", { body: { task_id: "t6" } });
  t.strictSame((await record("t6")).defaults, { client_tools: [tool] });
  const taken = { defaults: { client_tools: [{ ...tool, name: "read_file" }] } };
  t.match(await engine.call("/tasks/t5", { method: "PATCH", body: taken }), {
    status: 400,
    body: { message: /^defaults\.client_tools\.0\.name: / },
  });
});

t.test("a key that is bound to tasks creates no other", async (t) => {
  const headers = { [BOUND_KEY_HEADER]: writeBoundKey(engine.key, { ids: ["mine"] }) };
  t.equal((await engine.call("/tasks", { headers, body: { task_id: "mine" } })).status, 201);
  t.equal((await engine.call("/tasks", { headers, body: { task_id: "other" } })).status, 403);
  t.equal((await engine.call("/tasks", { headers, body: {} })).status, 403);
});
