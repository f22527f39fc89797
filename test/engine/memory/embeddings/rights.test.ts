import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import t from "tap";
import { TaskForgetting } from "../../../../src/engine/memory/forget-task.ts";
import { MemoryPortability } from "../../../../src/engine/memory/portability/memory-portability.ts";
import { WriteLane } from "../../../../src/engine/memory/write-lane.ts";
import { MemorySearch } from "../../../../src/engine/memory/search/search-memory.ts";
import { openStore } from "../../../../src/engine/store/open-store.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { indexMissing } from "../../../../src/engine/memory/search/index-missing.ts";
import { FullTextIndex } from "../../../../src/engine/memory/search/memory-index.ts";
import { quantize } from "../../../../src/engine/memory/embeddings/quantize.ts";
import { NOW, embedding, meaning, openEmbeddings } from "./embedding-bench.ts";

/** A vector that no other bytes of the file are like. */
const MARK = Array.from({ length: 300 }, (_, at) => ((at * 37) % 101) - 50);
const markBytes = Buffer.from(Int8Array.from(MARK, (value) => Math.round((value / 50) * 127)).buffer);

const markSigns = Buffer.from(quantize(MARK).signs.buffer);

const marked = (texts: readonly string[]) =>
  Promise.resolve(texts.map((text) => (text.includes("sloop") ? MARK : meaning(text))));

const filesOf = (folder: string) =>
  Buffer.concat(["engine.db", "engine.db-wal"].map((name) => readFileSync(join(folder, name))));

t.test("a vector goes with its task, and its bytes are overwritten", async (t) => {
  const { open, store, count } = embedding(t);
  await open({ embed: marked }).work();
  store.db.exec("pragma wal_checkpoint(truncate)");
  t.ok(filesOf(store.dataDir).includes(markBytes), "it was there");
  t.ok(filesOf(store.dataDir).includes(markSigns), "and its signs");
  store.transaction(() => new TaskForgetting(store).forget("task-41"));
  store.db.exec("pragma wal_checkpoint(truncate)");
  t.equal(count("embedding_vectors"), 40);
  t.notOk(filesOf(store.dataDir).includes(markBytes));
  t.notOk(filesOf(store.dataDir).includes(markSigns));
});

t.test("a forgotten task takes the vectors of its facts and notes along, and those in the queue", async (t) => {
  const { open, store, count } = embedding(t);
  const episode = store.db.prepare("select id from episodes where task_id = 'task-41'").get()?.["id"] as string;
  const fact = store.db.prepare(
    `insert into knowledge (id, content, subject, predicate, object, hash, importance, confidence, source, trust, recorded_from)
     values (?, ?, 'user', 'owns', 'sloop', ?, 5, 1, 'conversation', 3, 1)`,
  );
  const evidence = store.db.prepare("insert into knowledge_evidence (knowledge_id, episode_id) values (?, ?)");
  const note = store.db.prepare(
    "insert into working_memory (task_id, turn_id, entry_type, content, created_at) values ('task-41', 'turn_41', 'note', ?, 1)",
  );
  const learn = (id: string) => {
    fact.run(id, `The user's sloop, ${id}.`, id);
    evidence.run(id, episode);
    note.run(`The sloop needs paint, ${id}.`);
  };
  store.transaction(() => learn("kn_1"));
  await open({ embed: marked }).work();
  store.transaction(() => learn("kn_2"));
  t.same([count("embedding_vectors"), count("embedding_queue")], [43, 2]);
  store.transaction(() => new TaskForgetting(store).forget("task-41"));
  store.db.exec("pragma wal_checkpoint(truncate)");
  t.same([count("embedding_vectors"), count("embedding_signs"), count("embedding_queue")], [40, 40, 0]);
  t.notOk(filesOf(store.dataDir).includes(markBytes));
});

t.test("an erasure during a call leaves no vector of what was erased", async (t) => {
  const { open, store, tell, count } = embedding(t);
  const parts = { store, workspaceDir: freshFolder(t), lane: new WriteLane(store), reindex: () => Promise.resolve() };
  let erased: Promise<unknown> | undefined;
  const embeddings = open({
    async embed(texts) {
      const portability = new MemoryPortability({ ...parts, erased: () => embeddings.erased() });
      erased ??= portability
        .erase({ isLearning: () => false, lastEvent: () => ({ seq: 1, ts: 1 }) })
        // It gets the row number of one that was erased.
        .then(() => tell("2026-07-01", "Something new."));
      await erased;
      return marked(texts);
    },
  });
  await embeddings.work();
  t.notOk(filesOf(store.dataDir).includes(markBytes));
  t.equal(count("embedding_vectors"), 1);
});

t.test("an export has no vectors, and whoever imports it makes them", async (t) => {
  const { open, store } = embedding(t);
  await open({ embed: marked }).work();
  const parts = { workspaceDir: freshFolder(t), lane: new WriteLane(store), reindex: () => Promise.resolve() };
  const exporting = new MemoryPortability({ store, ...parts }).export({
    type: "header",
    format: "orchd-memory",
    version: 2,
    engine_version: "0.1.0",
    engine_id: "eng_1",
    user_id: "user",
    product: "test",
    exported_at: "2026-07-01T00:00:00.000Z",
  });
  if (exporting.kind === "busy") throw new Error("busy");
  const file = Buffer.from((await Array.fromAsync(exporting.chunks)).join(""));
  t.match(file.toString(), "sloop");
  t.notMatch(file.toString(), /embedding|vector/);

  const other = openStore(freshFolder(t));
  const lane = new WriteLane(other);
  const index = new FullTextIndex(other);
  const reindex = () => indexMissing(other, { lane, index });
  const importing = new MemoryPortability({ store: other, workspaceDir: freshFolder(t), lane, reindex });
  t.equal((await importing.import(Readable.from([file]))).kind, "done");
  const second = openEmbeddings(t, other, {
    model: "words-1",
    embed: (texts) => Promise.resolve(texts.map((text) => meaning(text))),
  });
  t.equal(second.status.waiting, 41);
  await second.work();
  t.equal(second.status.waiting, 0);
  t.match(
    await new MemorySearch(other, second.nearest).search({
      query: "Which ocean vessel do we own?",
      limit: 1,
      now: NOW,
    }),
    [{ content: /sloop/ }],
  );
});

t.test("an erasure leaves no vector, also none in memory, and new memories get theirs", async (t) => {
  const { open, store, count, tell } = embedding(t);
  const embeddings = open({ embed: marked });
  await embeddings.work();
  const parts = { store, workspaceDir: freshFolder(t), lane: new WriteLane(store), reindex: () => Promise.resolve() };
  const portability = new MemoryPortability({ ...parts, erased: () => embeddings.erased() });
  await portability.erase({ isLearning: () => false, lastEvent: () => ({ seq: 1, ts: 1 }) });
  t.same([count("embedding_vectors"), count("embedding_signs"), count("embedding_queue")], [0, 0, 0]);
  t.notOk(filesOf(store.dataDir).includes(markBytes));
  t.same((await embeddings.nearest("sloop", 5)).rows, []);
  tell("2026-07-01", "Something new.");
  await embeddings.work();
  t.equal(count("embedding_vectors"), 1);
});

t.test("a copy of the store, as a backup has it, keeps the vectors", async (t) => {
  const { open, store } = embedding(t);
  await open({ embed: marked }).work();
  const folder = freshFolder(t);
  store.db.exec(`vacuum into '${join(folder, "engine.db")}'`);
  const copy = openStore(folder);
  t.teardown(() => copy.close());
  t.equal(copy.db.prepare("select count(*) as n from embedding_vectors").get()?.["n"], 41);
});
