import { statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type Store, openStore } from "../../../src/engine/store/open-store.ts";
import { until } from "../../helpers/until.ts";

const PAGE = 4096;

/** A transaction for each number, as many turns make them. */
function commit(store: Store, count: number): void {
  const insert = store.db.prepare(
    "insert into messages (task_id, turn_id, thread, role, created_at, content) values ('t', ?, 'a', 'user', 1, '1')",
  );
  for (let n = 0; n < count; n++) store.transaction(() => insert.run(`turn_${n}`));
}

t.test("many small transactions are checkpointed before the log is large", async (t) => {
  const folder = t.testdir();
  const store = openStore(folder);
  t.teardown(() => store.close());
  const size = () => statSync(join(folder, "engine.db")).size;
  commit(store, 999);
  await new Promise(setImmediate);
  t.ok(size() <= PAGE, "nothing yet");
  commit(store, 1);
  await until("the log is checkpointed", () => size() > 10 * PAGE);
  const before = size();
  commit(store, 1000);
  await until("the log is checkpointed again", () => size() > before);
  t.match(store.db.prepare("select count(*) as n from messages").get(), { n: 2000 });
});

t.test("an open read cursor is not disturbed, and the checkpoint runs after it is closed", async (t) => {
  const folder = t.testdir();
  const store = openStore(folder);
  t.teardown(() => store.close());
  const before = statSync(join(folder, "engine.db")).size;
  commit(store, 10);
  const rows = store.db.prepare("select id from messages order by id").iterate();
  t.match(rows.next().value, { id: 1 });
  commit(store, 1000);
  t.match(rows.next().value, { id: 2 });
  let written = 1010;
  await until("the log is checkpointed", () => {
    commit(store, 100);
    written += 100;
    if (written === 2010) rows.return?.();
    return statSync(join(folder, "engine.db")).size > before;
  });
  t.ok(written >= 2010);
});

t.test("closing a store during a checkpoint loses nothing", (t) => {
  const folder = t.testdir();
  const store = openStore(folder);
  commit(store, 1000);
  store.close();
  const again = openStore(folder);
  t.match(again.db.prepare("select count(*) as n from messages").get(), { n: 1000 });
  again.close();
  t.end();
});
