import t from "tap";
import { MemorySearch } from "../../../../src/engine/memory/search/search-memory.ts";
import { openStore } from "../../../../src/engine/store/open-store.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { until } from "../../../helpers/until.ts";
import { remembering } from "../memory-bench.ts";
import { NOW, meaning, openEmbeddings } from "./embedding-bench.ts";

const ROUNDS = 100_000;

t.test("a memory of 100,000 rounds is searched and written while all its vectors are made anew", async (t) => {
  const store = openStore(freshFolder(t));
  store.transaction(() => {
    store.db.exec(
      `insert into episodes (id, task_id, turn_id, key, description, question, answer, importance, source, trust,
         event_time, created_at)
       with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${ROUNDS})
       select 'ep_' || n, 'task-' || n, 'turn-' || n, 'k', 'd', 'About matter number ' || n * 37, 'I see.', 3,
         'conversation', 1, n, n from counted`,
    );
    // Of another model, all of them.
    store.db.exec(
      `insert into embedding_vectors (item, vector) select number, zeroblob(300) from episodes;
       insert into embedding_signs (item, generation, signs) select number, 0, zeroblob(40) from episodes;
       delete from embedding_queue`,
    );
    store.state.set("embeddings", { model: "before", dimensions: 300, generation: 0, hasOutdated: false });
  });
  const { tell } = remembering(t, store);
  const count = (sql: string) => Number(store.db.prepare(sql).get()?.["n"]);
  const outdated = () => count("select count(*) as n from embedding_signs where generation = 0");
  tell("2026-06-01", "Our old sloop lies in the harbour at Vik.");
  const embeddings = openEmbeddings(t, store, {
    model: "words-1",
    embed: (texts) => Promise.resolve(texts.map((text) => meaning(text))),
  });
  const search = new MemorySearch(store, embeddings.nearest);
  const first = async (query: string) => (await search.search({ query, limit: 1, now: NOW }))[0]?.content ?? "";

  const working = embeddings.work();
  await until("some vectors are queued again", () => outdated() < ROUNDS);
  t.match(await first("Where is the sloop?"), /Vik/, "by words");
  tell("2026-06-02", "The lighthouse at Skagen is white.");
  t.match(await first("Where is the lighthouse?"), /Skagen/);
  t.ok(outdated() > 0, "before all were queued");

  await until(
    "new vectors are made",
    () => count("select count(*) as n from embedding_vectors where item > 99999") > 1,
  );
  t.ok(embeddings.status.waiting > ROUNDS / 2, "while most of them wait");
  t.match(await first("What does our ocean vessel lie near?"), /sloop/, "the newest by meaning");
  await embeddings.close();
  await working;
});
