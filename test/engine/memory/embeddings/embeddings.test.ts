import t from "tap";
import { MemorySearch } from "../../../../src/engine/memory/search/search-memory.ts";
import { until } from "../../../helpers/until.ts";
import { NOW, embedding, meaning, refusal } from "./embedding-bench.ts";

const vessel = { query: "Which ocean vessel do we own?", limit: 5, now: NOW };
const sloop = { query: "Where does our old sloop lie?", limit: 5, now: NOW };

t.test("vectors find a memory in other words, and rank it first", async (t) => {
  const { open, store, asked, count } = embedding(t);
  const embeddings = open();
  t.equal(embeddings.status.waiting, 41);
  await embeddings.work();
  t.same([count("embedding_vectors"), count("embedding_signs"), count("embedding_queue")], [41, 41, 0]);
  t.same(embeddings.status, { waiting: 0, error: null });
  t.ok(asked.every((texts) => texts.length <= 16));
  t.same(await new MemorySearch(store).search(vessel), [], "not by words alone");
  const [hit] = await new MemorySearch(store, embeddings.nearest).search(vessel);
  t.match(hit?.content, /sloop/);
});

t.test(
  "one memory that is much nearer than the others answers, one of many that are as near only touches",
  async (t) => {
    const { open, store, tell } = embedding(t);
    const embeddings = open();
    await embeddings.work();
    const search = new MemorySearch(store, embeddings.nearest);
    t.match(await search.search(vessel), [{ content: /sloop/, bearing: "answers" }]);
    for (let trip = 1; trip <= 12; trip++) tell("2026-06-02", `Sailing trip number ${trip * 37}.`);
    await embeddings.work();
    const hits = await search.search(vessel);
    t.equal(hits.length, 5);
    t.ok(hits.every(({ bearing }) => bearing === "touches"));
  },
);

t.test("only what has no vector is embedded, also by the next engine", async (t) => {
  const { open, asked, tell, count } = embedding(t);
  await open().work();
  const before = asked.length;
  tell("2026-06-02", "One more thing.");
  await open().work();
  t.same(
    asked.slice(before).map((texts) => texts.length),
    [1],
  );
  t.equal(count("embedding_vectors"), 42);
});

t.test("another model, or vectors of another length, embed everything again", async (t) => {
  const { open, store, asked, count } = embedding(t);
  await open().work();
  const second = open({ model: "words-2" });
  const near = await new MemorySearch(store, second.nearest).search(vessel);
  t.same(near, [], "vectors of another model are not compared");
  asked.length = 0;
  await second.work();
  t.equal(asked.flat().length, 41);
  t.same([count("embedding_vectors"), count("embedding_queue")], [41, 0]);
  t.match(await new MemorySearch(store, second.nearest).search(vessel), [{ content: /sloop/ }]);

  const longer = open({ model: "words-2", embed: (texts) => Promise.resolve(texts.map((text) => meaning(text, 400))) });
  store.transaction(() => store.db.exec("update episodes set answer = 'Yes.' where number = 1"));
  await longer.work();
  await longer.work();
  const lengths = store.db.prepare("select distinct length(vector) as bytes from embedding_vectors").all();
  t.same(
    lengths.map(({ bytes }) => bytes),
    [400],
  );
  t.equal(count("embedding_queue"), 0);
  t.match(await new MemorySearch(store, longer.nearest).search(vessel), [{ content: /sloop/ }]);
});

t.test("what failed is retried, and a search goes by words meanwhile", async (t) => {
  let isAway = true;
  const { open, store, count } = embedding(t);
  const embeddings = open({
    embed: (texts) =>
      isAway ? Promise.reject(new Error("away")) : Promise.resolve(texts.map((text) => meaning(text))),
  });
  await embeddings.work();
  t.same(embeddings.status, { waiting: 41, error: "away" });
  t.match(await new MemorySearch(store, embeddings.nearest).search(sloop), [{ content: /sloop/ }]);
  isAway = false;
  await embeddings.work();
  t.same([embeddings.status.error, count("embedding_vectors")], [null, 41]);
});

t.test("a pass that failed is repeated by itself after its pause, and shows what waits during a call", async (t) => {
  const { open, count } = embedding(t);
  let isAway = true;
  const waiting: number[] = [];
  const embeddings = open({
    embed: (texts) => {
      waiting.push(embeddings.status.waiting);
      if (isAway) return Promise.reject(refusal({ isOfTexts: false }));
      return Promise.resolve(texts.map((text) => meaning(text)));
    },
  });
  await embeddings.work();
  isAway = false;
  await until("the pass is repeated", () => count("embedding_vectors") === 41);
  t.same(waiting.slice(0, 2), [41, 41]);
});

t.test("a search waits only briefly for a vector, and the next one does not ask", async (t) => {
  const { open, store, asked } = embedding(t);
  const embeddings = open({ embed: () => new Promise(() => undefined) });
  // The deadline alone keeps no process.
  const alive = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(alive));
  const search = new MemorySearch(store, embeddings.nearest);
  t.match(await search.search(sloop), [{ content: /sloop/ }]);
  t.match(await search.search(sloop), [{ content: /sloop/ }]);
  t.equal(asked.length, 1);
});

t.test("a text that is refused is shortened, and left out when nothing helps", async (t) => {
  const { open, tell, count } = embedding(t);
  tell("2026-06-03", `A long letter. ${"word ".repeat(700)}`);
  tell("2026-06-04", "The endpoint will not have this.");
  const embeddings = open({
    embed: (texts) =>
      texts.some((text) => text.length > 1000 || text.includes("will not have"))
        ? Promise.reject(refusal({ isOfTexts: true }))
        : Promise.resolve(texts.map((text) => meaning(text))),
  });
  await embeddings.work();
  t.same(embeddings.status, { waiting: 0, error: null });
  t.equal(count("embedding_vectors"), 42);
});

t.test("what is erased or changed during a call gets no stale vector", async (t) => {
  const { open, store, count } = embedding(t);
  let changes = "delete from episodes where number > 2; update episodes set answer = answer || '!'";
  const embeddings = open({
    embed: (texts) => {
      store.db.exec(changes);
      return Promise.resolve(texts.map((text) => meaning(text)));
    },
  });
  await embeddings.work();
  t.same([count("embedding_vectors"), count("embedding_queue")], [0, 2]);
  changes = "";
  await embeddings.work();
  t.same([count("embedding_vectors"), count("embedding_queue")], [2, 0]);
});

t.test("a closed fact has no vector", async (t) => {
  const { open, store, tables, count } = embedding(t);
  await open().work();
  const before = count("embedding_vectors");
  store.transaction(() =>
    store.db.exec(
      `insert into knowledge (id, content, subject, predicate, object, hash, importance, confidence, source, trust, recorded_from)
       values ('kn_1', 'The user lives in Lyon.', 'user', 'lives in', 'Lyon', 'h', 5, 1, 'conversation', 3, 1)`,
    ),
  );
  await open().work();
  t.equal(count("embedding_vectors"), before + 1);
  store.transaction(() => tables.knowledge.close("kn_1", { validTo: 2, recordedTo: 2, supersededBy: null }));
  t.same([count("embedding_vectors"), count("embedding_signs"), count("embedding_queue")], [before, before, 0]);
});
