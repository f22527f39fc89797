import t from "tap";
import { FullTextIndex, type IndexedItem } from "../../../../src/engine/memory/search/memory-index.ts";
import { indexMissing } from "../../../../src/engine/memory/search/index-missing.ts";
import { WriteLane } from "../../../../src/engine/memory/write-lane.ts";
import { openStore } from "../../../../src/engine/store/open-store.ts";
import { freshFolder } from "../../../helpers/folder.ts";

const setUp = (t: Parameters<typeof freshFolder>[0]) => {
  const store = openStore(freshFolder(t));
  t.teardown(() => store.close());
  const index = new FullTextIndex(store);
  const item = (ref: string, range: IndexedItem["range"], body: string): IndexedItem => ({
    range,
    ref,
    body,
    keys: "",
    title: "",
  });
  const rows = (word: string) =>
    store.db
      .prepare("select rowid from memory_index where memory_index match ? order by rowid")
      .all(word)
      .map((row) => Number(row["rowid"]));
  store.db.exec(`
    insert into episodes values (7, 'ep_1', 'task', 'turn', 'k', 'd', 'q', 'a', 3, 'conversation', 1, 5, 5, '');
    insert into knowledge values (8, 'kn_1', 'c', 's', 'p', 'o', 'h', 3, 1, 'user', 3, 1, null, 5, null, null);
    insert into working_memory values (9, 'task', 'turn', 'note', 'c', 5)`);
  return { store, index, item, rows };
};

t.test("putting an item again replaces it", async (t) => {
  const { index, item, rows } = setUp(t);
  index.put(item("ep_1", "episode", "lighthouse"));
  index.put(item("ep_1", "episode", "windmill"));
  t.same([rows("lighthous"), rows("windmil")], [[], [7]]);
});

t.test("closing a fact moves it to the range of closed facts", async (t) => {
  const { index, item, rows } = setUp(t);
  index.put(item("kn_1", "fact", "lighthouse"));
  t.same(rows("lighthous"), [2 ** 40 + 8]);
  index.put(item("kn_1", "closed_fact", "lighthouse"));
  t.same(rows("lighthous"), [2 ** 41 + 8]);
});

t.test("deleting a row removes it from the index", async (t) => {
  const { store, index, item, rows } = setUp(t);
  index.put(item("ep_1", "episode", "lighthouse"));
  index.put(item("kn_1", "fact", "lighthouse"));
  index.put(item("note:9", "note", "lighthouse"));
  t.equal(rows("lighthous").length, 3);
  store.db.exec("delete from episodes; delete from knowledge; delete from working_memory");
  t.same(rows("lighthous"), []);
});

t.test("an item that is not stored cannot be indexed", async (t) => {
  const { index, item } = setUp(t);
  t.throws(() => index.put(item("ep_2", "episode", "x")), /not stored/);
});

t.test("indexMissing indexes missing items only", async (t) => {
  const { store, index, item, rows } = setUp(t);
  store.db.exec(`
    update episodes set question = 'A lighthouse?', answer = 'Yes.';
    update knowledge set content = 'A lighthouse stands.', recorded_to = 9;
    update working_memory set content = 'Lighthouse'`);
  index.put(item("ep_1", "episode", "windmill"));
  const puts: string[] = [];
  const counted = {
    put: (one: IndexedItem) => {
      puts.push(one.ref);
      index.put(one);
    },
  };
  await indexMissing(store, { lane: new WriteLane(store), index: counted });
  t.same(puts, ["kn_1", "note:9"]);
  t.same(rows("windmil"), [7]);
  t.same(rows("lighthous"), [2 ** 41 + 8, 3 * 2 ** 40 + 9]);
  store.db.exec("insert into memory_index (memory_index) values ('delete-all')");
  await indexMissing(store, { lane: new WriteLane(store), index });
  t.same(rows("windmil"), []);
  t.same(rows("lighthous"), [7, 2 ** 41 + 8, 3 * 2 ** 40 + 9]);
});
