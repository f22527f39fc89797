import { join } from "node:path";
import t from "tap";
import { contextParts } from "../../../src/engine/model/context-parts.ts";
import { FullItems } from "../../../src/engine/memory/search/stored-items.ts";
import { TRUST } from "../../../src/engine/memory/trust.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { engineParts, says, scriptedProvider } from "../../helpers/engine-parts.ts";

const PAGE = { name: "page", content: "/orders/17", ttl: "task" } as const;
const SECRET = { name: "selection", content: "the zebra clause" } as const;

t.test("the model is shown the context of a turn, in the same bytes in every later turn", async (t) => {
  const provider = scriptedProvider(says("one"), says("two"), says("three"));
  const parts = engineParts(t, { provider });
  await parts.turn("task", "What is this?", { context: [PAGE, SECRET] });
  await parts.turn("task", "And now?", { context: [PAGE] });
  const [first, second] = provider.requests;
  t.match(first?.messages, [{ role: "user", text: "What is this?", context: /orders\/17[^]*zebra/ }]);
  t.strictSame(second?.messages[0], first?.messages[0]);
  t.notOk("context" in (second?.messages[2] ?? {}), "what is valid already is not shown again");
  if (first !== undefined) t.ok(contextParts(first, null).context > 50);

  const dataDir = freshFolder(t);
  parts.store.db.exec(`vacuum into '${join(dataDir, "engine.db")}'`);
  const later = scriptedProvider(says("four"));
  const again = engineParts(t, { provider: later, dataDir });
  await again.turn("task", "Still?", { context: [{ ...PAGE, content: "/help" }] });
  t.strictSame(later.requests[0]?.messages.slice(0, 4), [
    ...(second?.messages ?? []),
    { role: "assistant", content: [{ kind: "text", text: "two" }] },
  ]);
  t.match(later.requests[0]?.messages.at(-1), { context: /"content":"\/help"/ }, "after a restart too");
});

t.test("neither memory nor the turn's record has the context, and what comes of it is not trusted", async (t) => {
  const parts = engineParts(t, { provider: scriptedProvider(says("fine"), says("fine")) });
  await parts.turn("task", "What is this?", { context: [SECRET] });
  await parts.turn("another", "And this?");
  const { db } = parts.store;
  const tables = ["turns", "episodes", "trajectories", "working_memory"];
  for (const table of tables)
    t.notMatch(JSON.stringify(db.prepare(`select * from ${table}`).all()), /zebra/, `not in ${table}`);
  t.match(db.prepare("select content from messages where role = 'user'").get()?.["content"], /"kind":"context"/);
  const episode = String(db.prepare("select id from episodes order by id").get()?.["id"]);
  t.strictSame(new FullItems(parts.store).read(episode)?.messages, [
    { role: "user", text: "What is this?" },
    { role: "assistant", text: "fine" },
  ]);
  const trusts = db
    .prepare("select trust from episodes order by id")
    .all()
    .map(({ trust }) => trust);
  t.strictSame(trusts, [TRUST.external, TRUST.model]);
});

t.test("a message that is repeated after a failure brings its context again", async (t) => {
  const refuses = () => [
    { kind: "failed", failure: { kind: "permanent", message: "no", status: 400 }, usage: null } as const,
  ];
  const provider = scriptedProvider(refuses, says("fine"));
  const parts = engineParts(t, { provider });
  await parts.turn("task", "go", { context: [PAGE] });
  await parts.turn("task", "go", { context: [PAGE] });
  t.match(provider.requests[1]?.messages, [{ role: "user", text: "go", context: /orders/ }]);
  t.equal(provider.requests[1]?.messages.length, 1);
});

t.test("a context beyond what a task may have starts no turn", async (t) => {
  const parts = engineParts(t, { provider: scriptedProvider(says("fine")) });
  const items = (letter: string) => [{ name: letter, content: letter.repeat(10_000), ttl: "task" }] as const;
  await parts.turn("task", "one", { context: [...items("a")] });
  t.throws(() => parts.runner.start({ task_id: "task", message: "two", context: [...items("b")] }), {
    name: "InvalidInput",
    field: "context",
  });
  t.equal(parts.slots.size, 0, "the task is free");
  await parts.turn("task", "three");
});
