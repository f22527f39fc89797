import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { ENGINE_MIGRATIONS } from "../../../migrations/engine/index.ts";
import { FullTextIndex, episodeItem } from "../../../src/engine/memory/search/memory-index.ts";
import { MemorySearch } from "../../../src/engine/memory/search/search-memory.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { meaning, openEmbeddings } from "../memory/embeddings/embedding-bench.ts";

const ROUNDS = 3000;
const TIME = Date.parse("2026-03-01T10:00:00Z");
const BOAT = "Our old sloop lies in the harbour at Vik.";
/** Of the vectors of the release before: 32 bits a dimension. */
const OLD_VECTOR = Buffer.from(Float32Array.from({ length: 64 }, (_, at) => at + 0.5).buffer);

/** A store as the release before this form of vectors has left it: some of its memories have a vector. */
function earlier(folder: string): void {
  const db = new DatabaseSync(join(folder, "engine.db"));
  const version = ENGINE_MIGRATIONS.findIndex((sql) => sql.includes("create table embedding_vectors"));
  for (const sql of ENGINE_MIGRATIONS.slice(0, version)) db.exec(sql);
  db.exec(`pragma user_version = ${version}; begin`);
  const round = db.prepare(
    `insert into episodes (id, task_id, turn_id, key, description, question, answer, importance, source, trust, event_time, created_at)
     values (?, ?, ?, 'k', 'd', ?, 'I see.', 3, 'conversation', 1, ?, ?)`,
  );
  const vector = db.prepare("insert into memory_embeddings (item, model, vector) values (?, 'old', ?)");
  for (let at = 1; at <= ROUNDS; at++) {
    const question = at === 7 ? BOAT : `Something about matter number ${at * 37}.`;
    round.run(`ep_${at}`, `task-${at}`, `turn-${at}`, question, TIME + at, TIME + at);
    if (at % 2 === 0) vector.run(at, OLD_VECTOR);
  }
  db.prepare(
    `insert into knowledge (id, content, subject, predicate, object, hash, importance, confidence, source, trust, recorded_from, recorded_to)
     values ('kn_old', 'Closed.', 'user', 'p', 'o', 'h1', 5, 1, 'conversation', 3, 1, 2),
            ('kn_new', 'Current.', 'user', 'p', 'o', 'h2', 5, 1, 'conversation', 3, 1, null)`,
  ).run();
  db.exec("commit");
  db.close();
}

/** What the release before had indexed. */
function indexed(store: ReturnType<typeof openStore>): void {
  const index = new FullTextIndex(store);
  const rounds = store.db.prepare("select id, question, answer from episodes").all();
  store.transaction(() => {
    for (const row of rounds) index.put(episodeItem(row as Parameters<typeof episodeItem>[0]));
  });
}

t.test("memories of an earlier release are searched by words while their vectors are made anew", async (t) => {
  const folder = freshFolder(t);
  earlier(folder);
  let store = openStore(folder);
  indexed(store);
  const count = (table: string) => Number(store.db.prepare(`select count(*) as n from ${table}`).get()?.["n"]);
  t.equal(store.db.prepare("select 1 from sqlite_schema where name = 'memory_embeddings'").get(), undefined);
  t.same(
    [count("embedding_vectors"), count("embedding_queue")],
    [0, ROUNDS + 1],
    "each round and each current fact waits, whether it had a vector or not",
  );

  const sloop = { query: "Where does our old sloop lie?", limit: 1, now: TIME + ROUNDS };
  let calls = 0;
  const first = openEmbeddings(t, store, {
    model: "new",
    async embed(texts) {
      calls++;
      t.match(await new MemorySearch(store).search(sloop), [{ content: /sloop/ }], "by words, during a call");
      if (calls > 3) throw new Error("away");
      return texts.map((text) => meaning(text));
    },
  });
  await first.work();
  t.equal(first.status.waiting, ROUNDS + 1 - 3 * 16);
  await first.close();
  store.close();

  // The engine was stopped in between.
  store = openStore(folder);
  t.teardown(() => store.close());
  let made = 0;
  const second = openEmbeddings(t, store, {
    model: "new",
    embed(texts) {
      made += texts.length;
      return Promise.resolve(texts.map((text) => meaning(text)));
    },
  });
  await second.work();
  t.equal(made, ROUNDS + 1 - 3 * 16, "none is made twice");
  t.same([count("embedding_vectors"), count("embedding_signs"), count("embedding_queue")], [ROUNDS + 1, ROUNDS + 1, 0]);
  t.match(await new MemorySearch(store, second.nearest).search({ ...sloop, query: "Which ocean vessel do we own?" }), [
    { content: /sloop/ },
  ]);
});
