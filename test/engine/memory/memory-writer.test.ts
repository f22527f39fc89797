import t from "tap";
import type { MemoryPage, WorkingMemoryRecord } from "../../../src/contract/engine/memory.ts";
import { MemoryLists } from "../../../src/engine/memory/memory-lists.ts";
import { MemoryWriter } from "../../../src/engine/memory/memory-writer.ts";
import { builtInNamed } from "../../helpers/built-in-tools.ts";
import { summarizeTurn } from "../../../src/engine/turns/turn-summary.ts";
import { calls, engineParts, says, scriptedProvider, testTool } from "../../helpers/engine-parts.ts";

const page = { before: null, limit: 10 };

t.test("a turn stores an episode and a trajectory without a model call", async (t) => {
  const provider = scriptedProvider(
    calls(["c1", "look", { n: 7 }], ["c2", "fail", {}]),
    says("It is seven. All done!"),
  );
  const parts = engineParts(t, {
    provider,
    tools: [
      testTool("look", async () => ({ found: 7 })),
      testTool("fail", async () => {
        throw new Error("broken");
      }),
    ],
  });
  await parts.turn("numbers", "How many are there? I need it for Tuesday.");
  t.equal(provider.requests.length, 2);
  const lists = new MemoryLists(parts.store);
  const [episode, ...others] = lists.page("episodes", page).items;
  t.same(others, []);
  t.match(episode, {
    id: /^ep_/,
    task_id: "numbers",
    key: "How many are there? I need it for Tuesday.",
    description: "How many are there? — All done!",
    question: "How many are there? I need it for Tuesday.",
    answer: "It is seven. All done!",
    source: "conversation",
  });
  const [trajectory] = lists.page("trajectories", page).items;
  t.match(trajectory, {
    id: /^tr_/,
    thread_id: "numbers",
    turn_id: episode?.turn_id,
    outcome: "completed",
    error_code: null,
    steps: [
      { tool: "look", input: '{"n":7}', output: '{"found":7}', ok: true },
      { tool: "fail", input: "{}", ok: false },
    ],
    usage: { input_tokens: 20, output_tokens: 10, cache_hit_tokens: 0 },
    batch_id: null,
  });
});

t.test("a failed turn stores a trajectory and no episode", async (t) => {
  const failure = { kind: "permanent", message: "no", status: 400 } as const;
  const parts = engineParts(t, {
    provider: scriptedProvider(() => [{ kind: "failed", failure, usage: null }]),
  });
  await parts.turn("failed", "Will this work?");
  const lists = new MemoryLists(parts.store);
  t.same(lists.page("episodes", page).items, []);
  t.match(lists.page("trajectories", page).items, [
    { outcome: "errored", error_code: "LLM_PROVIDER_ERROR", steps: [] },
  ]);
});

t.test("an answer based on external content has external trust", async (t) => {
  const trustAfter = async (tool: string, output: unknown) => {
    const provider = scriptedProvider(calls(["c1", tool, {}]), says("so it is"));
    const { returns } = builtInNamed(tool) ?? {};
    const tools = [testTool(tool, async () => output, returns && { returns })];
    const parts = engineParts(t, { provider, tools });
    await parts.turn("t");
    return new MemoryLists(parts.store).page("episodes", page).items[0]?.trust;
  };
  t.equal(await trustAfter("plan", "fine"), "model");
  t.equal(await trustAfter("fetch_url", "a page"), "external");
  t.equal(await trustAfter("memory_search", [{ trust: "user" }]), "model");
  t.equal(await trustAfter("memory_search", [{ trust: "external" }]), "external");
});

t.test("external content lowers the trust of later answers in its conversation", async (t) => {
  const provider = scriptedProvider(
    calls(["c1", "fetch_url", {}]),
    says("it says so"),
    says("as I said"),
    says("hello"),
  );
  const parts = engineParts(t, { provider, tools: [testTool("fetch_url", async () => "a page")] });
  await parts.turn("reading");
  await parts.turn("reading", "What did it say?");
  await parts.turn("another");
  const { items } = new MemoryLists(parts.store).page("episodes", page);
  t.same(items.map(({ trust }) => trust).toReversed(), ["external", "external", "model"]);
});

t.test("calls of sub-agents are steps of the trajectory", async (t) => {
  const use = { kind: "tool_use", id: "c1", tool: "fetch_url", input: {} };
  const said = summarizeTurn(
    [
      { turnId: "t", role: "user", content: "Find out", thread: "" },
      { turnId: "t", role: "user", content: "inner wish", thread: "researcher for c0" },
      { turnId: "t", role: "assistant", content: [use], thread: "researcher for c0" },
      { turnId: "t", role: "assistant", content: [{ kind: "text", text: "Found." }], thread: "" },
    ],
    { toolNamed: () => undefined },
  );
  t.match(said, {
    question: "Find out",
    answer: "Found.",
    trust: 0,
    steps: [{ tool: "fetch_url", ok: false, thread: "researcher for c0" }],
  });
});

t.test("both ends of very long texts are stored", async (t) => {
  const parts = engineParts(t, { provider: scriptedProvider(says(`first ${"x".repeat(50_000)} last`)) });
  await parts.turn("long", `begin ${"y ".repeat(20_000)} end`);
  const [episode] = new MemoryLists(parts.store).page("episodes", page).items;
  t.match(episode?.answer, /^first x+\n\[… \d+ characters …\]\nx+ last$/);
  t.ok((episode?.question.length ?? 0) < 9000);
});

t.test("a failed memory write leaves no partial rows and does not fail the turn's end", async (t) => {
  const parts = engineParts(t, { provider: scriptedProvider(says("a"), says("b")) });
  const { store } = parts;
  store.db.exec("create trigger refuse before insert on episodes begin select raise(fail, 'no'); end");
  const told = await parts.turn("refused");
  t.match(told.at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
  t.equal(parts.slots.size, 0);
  t.same(new MemoryLists(store).page("trajectories", page).items, []);
  store.db.exec("drop trigger refuse");
  await parts.turn("refused");
  t.equal(new MemoryLists(store).page("trajectories", page).items.length, 1);
});

t.test("lists are paged, newest first", async (t) => {
  const { store } = engineParts(t);
  const memory = new MemoryWriter(store, { put: () => undefined });
  for (let number = 1; number <= 5; number++)
    memory.note({ taskId: "t", turnId: "u", entryType: "note", content: `note ${number}`, createdAt: number });
  const lists = new MemoryLists(store);
  const seen: string[] = [];
  let before: number | null = null;
  do {
    const { items, next_cursor: next }: MemoryPage<WorkingMemoryRecord> = lists.page("working", { before, limit: 2 });
    seen.push(...items.map(({ content }) => content));
    before = next === null ? null : Number(next);
  } while (before !== null);
  t.same(seen, ["note 5", "note 4", "note 3", "note 2", "note 1"]);
});

t.test("facts are listed with evidence, people with edges", async (t) => {
  const { store } = engineParts(t);
  store.db.exec(`
    insert into episodes (id, task_id, turn_id, key, description, question, answer, importance, source, trust, event_time, created_at)
      values ('ep_1', 't', 'u', 'k', 'd', 'q', 'a', 3, 'conversation', 1, 1000, 1000);
    insert into knowledge values (1, 'kn_1', 'Anna lives in Lyon', 'Anna', 'lives in', 'Lyon', 'h', 5, 0.9, 'user', 3, 1000, null, 2000, null, null);
    insert into knowledge_evidence values ('kn_1', 'ep_1');
    insert into social_nodes values (1, 'nd_1', 'Anna', 'person', '', 3, 2, 1000, 2000), (2, 'nd_2', 'Lyon', 'place', '', 3, 1, 1000, 1000);
    insert into social_aliases values ('anna', 'nd_1');
    insert into social_edges values (1, 'ed_1', 'nd_1', 'nd_2', 'lives in', 3, 1000, null, 2000, null);`);
  const lists = new MemoryLists(store);
  t.match(lists.page("knowledge", page).items, [
    {
      id: "kn_1",
      trust: "user",
      evidence: ["ep_1"],
      valid_from: "1970-01-01T00:00:01.000Z",
      valid_to: null,
      created_at: "1970-01-01T00:00:02.000Z",
      invalidated_at: null,
    },
  ]);
  t.match(lists.page("social", page).items, [
    { name: "Lyon", aliases: [], edges: [{ id: "ed_1" }] },
    { name: "Anna", aliases: ["anna"], mention_count: 2, edges: [{ from: "nd_1", to: "nd_2", relation: "lives in" }] },
  ]);
});
