import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { TaskForgetting } from "../../../../src/engine/memory/forget-task.ts";
import { MemoryPortability } from "../../../../src/engine/memory/portability/memory-portability.ts";
import { WriteLane } from "../../../../src/engine/memory/write-lane.ts";
import { openStore } from "../../../../src/engine/store/open-store.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { embedding, meaning } from "./embedding-bench.ts";

/** A vector that no other bytes of the file are like. */
const MARK = Array.from({ length: 300 }, (_, at) => ((at * 37) % 101) - 50);
const markBytes = Buffer.from(Int8Array.from(MARK, (value) => Math.round((value / 50) * 127)).buffer);

const marked = (texts: readonly string[]) =>
  Promise.resolve(texts.map((text) => (text.includes("sloop") ? MARK : meaning(text))));

const filesOf = (folder: string) =>
  Buffer.concat(["engine.db", "engine.db-wal"].map((name) => readFileSync(join(folder, name))));

t.test("a vector goes with its task, and its bytes are overwritten", async (t) => {
  const { open, store, count } = embedding(t);
  await open({ embed: marked }).work();
  store.db.exec("pragma wal_checkpoint(truncate)");
  t.ok(filesOf(store.dataDir).includes(markBytes), "it was there");
  store.transaction(() => new TaskForgetting(store).forget("task-41"));
  store.db.exec("pragma wal_checkpoint(truncate)");
  t.equal(count("embedding_vectors"), 40);
  t.notOk(filesOf(store.dataDir).includes(markBytes));
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
