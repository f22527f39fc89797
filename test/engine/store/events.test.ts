import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { ENGINE_MIGRATIONS } from "../../../migrations/engine/index.ts";
import { type EventRow, EventTable } from "../../../src/engine/store/events.ts";
import { type Store, openStore } from "../../../src/engine/store/open-store.ts";

const FIRST_TS = 1_700_000_000_000;
const TURNS = 7;

/** The events of turns that all go on at once; each second one is the next turn of its task. */
function interleaved(from: number, to: number): EventRow[] {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const seq = from + index;
    const turn = seq % TURNS;
    const body = `{"text":"${seq} "}`;
    const stamp = { seq, ts: FIRST_TS + 3 * seq, taskId: `task-${turn >> 1}`, turnId: `turn-${turn}` };
    return { ...stamp, type: "text_delta", body, data: "" };
  });
}

const seqs = (rows: readonly EventRow[]): string => rows.map(({ seq }) => seq).join(" ");
const count = (store: Store, table: string): unknown =>
  store.db.prepare(`select count(*) as n from ${table}`).get()?.["n"];

t.test("events of one task or turn are read from any cursor and in pages", (t) => {
  const store = openStore(t.testdir());
  t.teardown(() => store.close());
  const table = new EventTable(store);
  const all = interleaved(1, 5000);
  for (let from = 0; from < all.length; from += 50) table.insert(all.slice(from, from + 50));
  t.equal(count(store, "event_places"), 5 * (TURNS + 4), "one entry a stretch, not one an event");
  for (const after of [0, 1, 1022, 1023, 1024, 1025, 3071, 4999, 5000, 9000]) {
    for (const wish of [{ taskId: "task-1" }, { turnId: "turn-5" }, { taskId: "task-2", turnId: "turn-4" }, {}]) {
      const own = all.filter(
        (row) =>
          row.seq > after &&
          (wish.taskId === undefined || row.taskId === wish.taskId) &&
          (wish.turnId === undefined || row.turnId === wish.turnId),
      );
      const afterTs = FIRST_TS + 3 * after;
      const found = [
        table.read({ ...wish, afterSeq: after, limit: 10_000 }),
        table.read({ ...wish, afterTs, limit: 10_000 }),
        table.read({ ...wish, afterTs: afterTs + 2, limit: 10_000 }),
      ];
      for (const rows of found) t.equal(seqs(rows), seqs(own));
      t.equal(seqs(table.read({ ...wish, afterSeq: after, limit: 3 })), seqs(own.slice(0, 3)));
    }
  }
  t.strictSame(table.read({ taskId: "task-1", turnId: "turn-5", limit: 10 }), [], "another task's turn");
  t.strictSame(table.read({ taskId: "task-9", limit: 10 }), []);
  t.end();
});

t.test("events stored after a failed attempt are found", (t) => {
  const store = openStore(t.testdir());
  t.teardown(() => store.close());
  const table = new EventTable(store);
  const rows = interleaved(1, 5);
  const full = () => table.insert(rows, () => store.db.exec("insert into nowhere values (1)"));
  t.throws(full);
  t.throws(() => table.insert([...rows, ...rows]), "the numbers are there already");
  t.strictSame(table.read({ limit: 10 }), []);
  table.insert(rows);
  t.equal(seqs(table.read({ turnId: "turn-3", limit: 10 })), "3");
  t.end();
});

t.test("pruning events prunes their index entries", (t) => {
  const store = openStore(t.testdir());
  t.teardown(() => store.close());
  const table = new EventTable(store);
  table.prune(FIRST_TS, 10);
  table.insert(interleaved(1, 5000));
  table.prune(FIRST_TS + 3 * 3000, 100_000);
  t.equal(seqs(table.read({ limit: 2 })), "3000 3001");
  table.prune(0, 500);
  t.equal(seqs(table.read({ limit: 2 })), "4501 4502");
  t.equal(count(store, "event_places"), TURNS + 4);
  table.prune(FIRST_TS + 1e9, 0);
  t.equal(seqs(table.read({ limit: 2 })), "5000", "the last one tells how far the numbers are");
  t.end();
});

t.test("events stored before an upgrade are found unchanged", (t) => {
  const folder = t.testdir();
  const before = new DatabaseSync(join(folder, "engine.db"));
  const version = ENGINE_MIGRATIONS.findIndex((sql) => sql.includes("create table event_log"));
  for (const sql of ENGINE_MIGRATIONS.slice(0, version)) before.exec(sql);
  before.exec(`pragma user_version = ${version}`);
  const insert = before.prepare(
    "insert into events (last_seq, last_ts, task_id, turn_id, lines) values (?, ?, ?, ?, ?)",
  );
  const all = interleaved(1, 3000);
  before.exec("begin");
  for (const { seq, ts, taskId, turnId, type, body } of all)
    insert.run(seq, ts, taskId, turnId, `${type} ${ts} ${body}`);
  before.exec("commit");
  before.close();
  const store = openStore(folder);
  t.teardown(() => store.close());
  const table = new EventTable(store);
  t.equal(seqs(table.read({ limit: 10_000 })), seqs(all));
  t.strictSame(
    table.read({ turnId: "turn-2", limit: 10_000 }).map(({ body }) => body),
    all.filter(({ turnId }) => turnId === "turn-2").map(({ body }) => body),
  );
  t.strictSame(table.last(), { seq: 3000, ts: FIRST_TS + 9000 });
  t.end();
});
