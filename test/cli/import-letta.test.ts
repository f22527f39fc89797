import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { startEngine } from "../helpers/engine.ts";
import { engine as record, startFakeServer } from "../helpers/fake-server.ts";
import { freshFolder } from "../helpers/folder.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const FILE = resolve(import.meta.dirname, "../fixtures/letta/gardener.af");
const sample = () => JSON.parse(readFileSync(FILE, "utf8"));

async function withEngine(t: Test) {
  const engine = await startEngine(t);
  const daemon = await startFakeServer(t);
  daemon.on("GET /engines/alice", { body: record({ url: engine.url }) });
  const orchctl = orchctlFor(t, daemon);
  const env = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ENGINE_KEY: engine.key };
  const run = (file: string, ...more: string[]) =>
    orchctl(["import", "letta", file, "--user", "alice", "--json", ...more], { env });
  const report = async (file: string, ...more: string[]) => {
    const { code, stdout, stderr } = await run(file, ...more);
    t.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  return { engine, run, report };
}

const written = (t: Test, content: object | string): string => {
  const file = join(freshFolder(t, "letta"), "agent.af");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
};

t.test("a dry run reports what would be taken and changes nothing", async (t) => {
  const { engine, report } = await withEngine(t);
  const catalog = freshFolder(t, "catalog");
  t.match(await report(FILE, "--dry-run", "--catalog", catalog), {
    agent: "Gardener",
    task_id: "letta-gardener",
    dry_run: true,
    taken: { turns: 2, messages: 6, calls: 1, facts: 3 },
    imported: null,
    tools: [
      { name: "send_message", in_orchd: "the answer itself" },
      { name: "archival_memory_search", in_orchd: "memory_search" },
      { name: "current_time", in_orchd: "current_time" },
      { name: "water_plants", in_orchd: null },
    ],
  });
  t.same((await engine.call("/tasks")).body.items, []);
  t.same((await engine.call("/memory/knowledge")).body.items, []);
  t.notOk(existsSync(join(catalog, "agents")));
});

t.test(
  "messages become a task that is read, goes on, and is known to the model; a second import changes nothing",
  async (t) => {
    const { engine, report } = await withEngine(t);
    const first = await report(FILE);
    t.match(first, { imported: { task: 1, turn: 2, message: 6, episode: 2, knowledge: 3 } });
    const { body: task } = await engine.call("/tasks/letta-gardener");
    t.match(task, { title: "Gardener", message_count: 4, created_at: "2026-05-02T08:01:00.000Z" });
    const messages = async () => (await engine.call("/tasks/letta-gardener/messages")).body.items;
    t.match(await messages(), [
      { role: "user", parts: [{ type: "text", text: "When do I sow the beans?" }] },
      {
        role: "assistant",
        parts: [
          { type: "tool", tool: "archival_memory_search", output: "Beans: after the last frost, mid May." },
          { type: "text", text: "Sow the beans in the middle of May." },
        ],
      },
      { role: "user", parts: [{ text: "And the pumpkins?" }] },
      { role: "assistant", parts: [{ text: "The pumpkins a week later." }] },
    ]);
    t.match((await report(FILE)).imported, {});
    t.equal((await messages()).length, 4);
    await engine.turn("letta-gardener", "/say and then?");
    const [turn] = (await engine.call("/turns?task_id=letta-gardener&limit=1")).body.items;
    const { body: request } = await engine.call(`/turns/${turn.turn_id}/requests/1`);
    t.match(JSON.stringify(request.body), /middle of May.*pumpkins.*a week later.*and then/);
    const { body: found } = await engine.call("/memory/knowledge/search", { body: { query: "When to sow beans?" } });
    t.match(JSON.stringify(found.results), /middle of May/);
  },
);

t.test("what the agent knows of the user becomes facts of the trust external", async (t) => {
  const { engine, report } = await withEngine(t);
  t.match((await report(FILE)).not_taken, { 0: /1 system messages/ });
  const { items } = (await engine.call("/memory/knowledge")).body;
  t.same(
    new Set(items.map(({ content, trust }: { content: string; trust: string }) => `${trust}: ${content}`)),
    new Set([
      "external: First name of the user: Ada",
      "external: Occupation of the user: Beekeeper",
      "external: Has a garden of 400 m² in Lyon",
    ]),
  );
});

t.test("the persona is written as an agent of the catalog, once", async (t) => {
  const { report } = await withEngine(t);
  const catalog = freshFolder(t, "catalog");
  const { agent_file: file } = await report(FILE, "--catalog", catalog);
  t.equal(file, join(catalog, "agents/gardener.md"));
  t.equal(
    readFileSync(file, "utf8"),
    '---\nname: gardener\ndescription: "Keeps the garden."\n---\n' +
      "I am the gardener. I answer shortly, and I like beans.\n\n# calendar\n\nLast frost: mid May.\n",
  );
  writeFileSync(file, "changed");
  await report(FILE, "--catalog", catalog);
  t.equal(readFileSync(file, "utf8"), "changed");
});

t.test("a later file of the same agent adds what is new", async (t) => {
  const { engine, report } = await withEngine(t);
  const later = sample();
  await report(FILE);
  const at = "2026-05-05T08:00:00+00:00";
  later.agents[0].messages.push({ role: "user", content: "Thanks!", id: "message-10", created_at: at });
  t.match((await report(written(t, later))).imported, { turn: 1, message: 1 });
  t.equal((await engine.call("/tasks/letta-gardener")).body.message_count, 5);
});

t.test("a file of the earlier form is taken too", async (t) => {
  const { engine, report } = await withEngine(t);
  const [agent] = sample().agents;
  const { name, messages } = agent;
  const core_memory = sample().blocks.map(({ label, value }: { label: string; value: string }) => ({ label, value }));
  const earlier = { agent_type: "memgpt_agent", name, messages, core_memory, tools: [{ name: "send_message" }] };
  t.match((await report(written(t, earlier))).taken, { turns: 2, messages: 6, facts: 3 });
  t.equal((await engine.call("/tasks/letta-gardener")).body.message_count, 4);
});

t.test("a file that is none is refused, and a file of several agents asks which", async (t) => {
  const { run, report } = await withEngine(t);
  for (const content of ["no json", "[]", "{}", '{"agents": 3}'])
    t.match(await run(written(t, content)), { code: 2, stderr: /the agent file cannot be read/ });
  const two = sample();
  two.agents.push({ name: "Other" });
  const file = written(t, two);
  t.match(await run(file), { code: 2, stderr: /--name: expected one of Gardener, Other/ });
  t.match(await report(file, "--name", "Other"), { taken: { turns: 0, facts: 0 }, imported: null });
});
