import t from "tap";
import { createLogger } from "../../../../src/shared/logger.ts";
import { Embeddings, type TextEmbedder } from "../../../../src/engine/memory/search/embeddings.ts";
import { MemorySearch } from "../../../../src/engine/memory/search/search-memory.ts";
import { WriteLane } from "../../../../src/engine/memory/write-lane.ts";
import { remembering } from "../memory-bench.ts";

const NOW = Date.parse("2026-11-21T09:00:00Z");
const NEVER_BY_ITSELF = 2_000_000_000;
const logger = createLogger("test", "silent");

/** What a text is about is a direction of its own: all that is about the sea lies together. */
const meaning = (text: string): number[] => {
  const sea = /sea|harbour|sail|ocean|boat/i.test(text);
  return Array.from({ length: 300 }, (_, at) =>
    sea ? (at % 7 === 0 ? 1 : 0) : ((text.charCodeAt(at % text.length) * (at + 3)) % 11) - 5,
  );
};

const setUp = (t: Parameters<typeof remembering>[0], embed?: TextEmbedder["embed"]) => {
  const memory = remembering(t);
  const asked: { texts: readonly string[]; priority: string }[] = [];
  const embedder: TextEmbedder = {
    model: "words-1",
    batchSize: 8,
    async embed(texts, how) {
      asked.push({ texts, priority: how.priority });
      return embed === undefined ? texts.map(meaning) : embed(texts, how);
    },
  };
  const open = (model = "words-1") => {
    const parts = { store: memory.store, lane: new WriteLane(memory.store), embedder: { ...embedder, model }, logger };
    const embeddings = new Embeddings(parts, NEVER_BY_ITSELF);
    t.teardown(() => embeddings.close());
    return embeddings;
  };
  const count = (model: string) =>
    Number(memory.store.db.prepare("select count(*) as n from memory_embeddings where model = ?").get(model)?.["n"]);
  for (let matter = 10; matter < 50; matter++)
    memory.tell("2026-05-01", `Something else about matter number ${matter * 37}.`);
  memory.tell("2026-06-01", "Our old sloop lies in the harbour at Vik.");
  return { ...memory, asked, open, count };
};

t.test("vectors find an item in other words", async (t) => {
  const { open, store, asked, count } = setUp(t);
  const embeddings = open();
  await embeddings.work();
  t.equal(count("words-1"), 41);
  t.ok(asked.every(({ texts, priority }) => texts.length <= 8 && priority === "background"));
  const request = { query: "Which ocean vessel do we own?", limit: 5, now: NOW };
  t.same(await new MemorySearch(store).search(request), [], "not by words alone");
  const [hit] = await new MemorySearch(store, embeddings.nearest).search(request);
  t.match(hit?.content, /sloop/);
  t.equal(asked.at(-1)?.priority, "interactive");
});

t.test("only items without a vector are embedded, and another model embeds all again", async (t) => {
  const { open, asked, tell, count } = setUp(t);
  await open().work();
  const before = asked.length;
  tell("2026-06-02", "One more thing.");
  await open().work();
  t.same(
    asked.slice(before).map(({ texts }) => texts.length),
    [1],
    "also by the engine that comes after",
  );
  await open("words-2").work();
  t.same([count("words-1"), count("words-2")], [0, 42]);
});

t.test("a failed embedding call is retried later, and search uses full text meanwhile", async (t) => {
  let refuses = true;
  const { open, store, count } = setUp(t, async (texts) => {
    if (refuses) throw new Error("limit reached");
    return texts.map(meaning);
  });
  const embeddings = open();
  await embeddings.work();
  t.equal(count("words-1"), 0);
  const request = { query: "Where does our old sloop lie?", limit: 5, now: NOW };
  t.match(await new MemorySearch(store, embeddings.nearest).search(request), [{ content: /sloop/ }]);
  refuses = false;
  await embeddings.work();
  t.equal(count("words-1"), 41);
});

t.test("a search waits only briefly for a vector", async (t) => {
  const { open, store } = setUp(
    t,
    (_texts, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      }),
  );
  // The deadline alone keeps no process.
  const alive = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(alive));
  const request = { query: "Where does our old sloop lie?", limit: 5, now: NOW };
  t.match(await new MemorySearch(store, open().nearest).search(request), [{ content: /sloop/ }]);
});

t.test("an item erased or changed during embedding gets no stale vector", async (t) => {
  let changes = "delete from episodes where number > 2; update episodes set answer = answer || '!'";
  const { open, store, count } = setUp(t, async (texts) => {
    store.db.exec(changes);
    return texts.map(meaning);
  });
  await open().work();
  t.equal(count("words-1"), 0);
  changes = "";
  await open().work();
  t.equal(count("words-1"), 2);
});
