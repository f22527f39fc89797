import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { createEngineClient } from "../../../src/client/engine-client.ts";
import { BranchTable } from "../../../src/engine/store/branches.ts";
import { MessageIndex } from "../../../src/engine/store/message-index.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { MessageSearch } from "../../../src/engine/tasks/message-search.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

/** What is lost of the index. A search, and what removes from the index, finds it. */
const DAMAGES = {
  "the words": "delete from messages_index_data where id > 10",
  "the words' places": "update messages_index_data set block = x'ff00ff00ff' where id > 10",
  everything: "delete from messages_index_data",
};

function damage(dataDir: string, sql: string): void {
  const db = new DatabaseSync(join(dataDir, "engine.db"), { defensive: false });
  db.exec(sql);
  db.close();
}

async function opened(t: Test, options: Parameters<typeof startEngine>[1] = {}) {
  const engine = await startEngine(t, options);
  const client = createEngineClient({ url: engine.url, key: engine.key });
  const found = async (q: string) => (await client.listTasks({ q })).items.map(({ task_id: id }) => id);
  return { engine, client, found };
}

t.test("a search whose index is damaged answers, and the index is rebuilt with messages and titles", async (t) => {
  const first = await opened(t);
  const { key, dataDir } = first.engine;
  await first.engine.turn("a", "/say Pears ripen in September.");
  await first.engine.turn("b", "/say Plums ripen in August.");
  await first.client.changeTask("b", { title: "Orchard" });
  t.same(await first.found("ripen"), ["b", "a"]);
  await first.engine.stop("SIGKILL");
  for (const [what, sql] of Object.entries(DAMAGES)) {
    damage(dataDir, sql);
    const { engine, found } = await opened(t, { dataDir, key });
    t.same(await found("ripen"), ["b", "a"], `without ${what}`);
    t.same(await found("orchards"), ["b"], "titles too");
    t.match(engine.output(), /index of messages was damaged/);
    await engine.stop("SIGKILL");
  }
  damage(dataDir, DAMAGES.everything);
  const { engine, client, found } = await opened(t, { dataDir, key });
  await until("a task is deleted, though its words cannot be removed", async () => {
    const { status } = await engine.call("/tasks/a", { method: "DELETE" });
    return status === 200;
  });
  t.same(await found("ripen"), ["b"]);
  t.match(await client.health(), { status: "ok" }, "the store is sound");
});

t.test("a rebuild that was killed goes on at the next start", async (t) => {
  const { engine } = await opened(t);
  const { key, dataDir } = engine;
  await engine.turn("a", "/say Pears ripen in September.");
  await engine.turn("b", "/say nothing");
  await createEngineClient({ url: engine.url, key }).changeTask("b", { title: "Orchard" });
  await engine.stop("SIGKILL");
  const store = openStore(dataDir);
  store.transaction(() => new MessageIndex(store).clear());
  store.close();
  const again = openStore(dataDir);
  t.teardown(() => again.close());
  const [index, branches] = [new MessageIndex(again), new BranchTable(again)];
  const search = new MessageSearch({ store: again, index, branches, logger: createLogger("test", "silent") });
  t.teardown(() => search.close());
  t.equal(search.find("ripen")?.only?.length, 1);
  t.equal(search.find("orchard")?.only?.length, 1);
  t.equal(index.unindexedTitles(1), null, "it is complete");
});
