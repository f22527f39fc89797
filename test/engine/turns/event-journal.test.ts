import t from "tap";
import { type EventRow, EventTable } from "../../../src/engine/store/events.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { ALL_TASKS, EventJournal } from "../../../src/engine/turns/event-journal.ts";
import { until } from "../../helpers/until.ts";

const said = (text: string) => ({ event: "text_delta", data: { text } }) as const;

t.test("stamps strictly rise despite clock changes and restarts", async (t) => {
  const dataDir = t.testdir();
  let now = 1_000_000;
  const first = openStore(dataDir);
  const journal = new EventJournal(new EventTable(first), { now: () => now });
  for (const step of [0, 0, 5, -100_000]) {
    now += step;
    journal.append("task", "turn", said("x"));
  }
  journal.flush();
  const heartbeat = journal.cursor() ?? "";
  const rows = journal.read({ limit: 10 });
  first.close();
  const second = openStore(dataDir);
  t.teardown(() => second.close());
  const later = new EventJournal(new EventTable(second), { now: () => now });
  later.append("task", "turn", said("y"));
  later.flush();
  const all = later.read({ limit: 10 });
  t.strictSame(all.slice(0, 4), rows);
  t.strictSame(
    all.map(({ seq }) => seq),
    [1, 2, 3, 4, 5],
  );
  t.ok(all.every(({ ts }, index) => index === 0 || ts > (all[index - 1]?.ts ?? 0)));
  t.ok(Date.parse(heartbeat) > (rows.at(-1)?.ts ?? 0), "a heartbeat's time is behind what came before it");
  t.ok((all.at(-1)?.ts ?? 0) > Date.parse(heartbeat), "and what comes later is behind it, even after a restart");
});

t.test("events of one tick are delivered together, after they are stored, to their readers only", async (t) => {
  const store = openStore(t.testdir());
  t.teardown(() => store.close());
  const table = new EventTable(store);
  const journal = new EventJournal(table);
  const got: Record<string, (readonly EventRow[])[]> = { one: [], two: [], every: [] };
  const reader = (name: string) => (rows: readonly EventRow[]) => {
    t.equal(table.last().seq, rows.at(-1)?.seq ?? table.last().seq, "stored before it is handed on");
    got[name]?.push(rows);
  };
  const leave = journal.subscribe("one", (rows) => got["one"]?.push(rows));
  journal.subscribe("two", (rows) => got["two"]?.push(rows));
  journal.subscribe(ALL_TASKS, reader("every"));
  journal.append("one", "t1", said("a"));
  journal.append("two", "t2", said("b"));
  journal.append("one", "t1", said("c"));
  t.same(got["every"], [], "nothing within the tick");
  await until("they are handed on", () => got["every"]?.length);
  t.strictSame(
    got["every"]?.map((rows) => rows.map(({ seq }) => seq)),
    [[1, 2, 3]],
  );
  t.strictSame(
    got["one"]?.flat().map(({ seq }) => seq),
    [1, 3],
  );
  t.strictSame(
    got["two"]?.flat().map(({ seq }) => seq),
    [2],
  );
  leave();
  journal.append("one", "t1", said("d"));
  journal.flush();
  t.equal(got["one"]?.flat().length, 2);
});

t.test("slow events are stored at once, and a fast stream in larger batches", async (t) => {
  const store = openStore(t.testdir());
  t.teardown(() => store.close());
  const journal = new EventJournal(new EventTable(store));
  const batches: number[] = [];
  journal.subscribe(ALL_TASKS, (rows) => batches.push(rows.length));
  const add = (events: number) => {
    for (let n = 0; n < events; n++) journal.append(`task-${n}`, `turn-${n}`, said("x"));
  };
  for (const events of [1, 5, 31]) {
    add(events);
    await new Promise(setImmediate);
    t.equal(batches.pop(), events, "at the next turn of the event loop");
  }
  add(40);
  await new Promise(setImmediate);
  t.equal(batches.length, 0, "more may come");
  await new Promise(setImmediate);
  t.strictSame(batches, [40], "none came");
});

t.test("replay returns exactly the stored events, from any cursor and in any page size", async (t) => {
  const store = openStore(t.testdir());
  t.teardown(() => store.close());
  const journal = new EventJournal(new EventTable(store));
  const wire: EventRow[] = [];
  journal.subscribe(ALL_TASKS, (rows) => wire.push(...rows));
  for (let index = 0; index < 300; index++) {
    journal.append(
      `task "${index % 3}"`,
      `turn${Math.floor(index / 70)}-${index % 3}`,
      said(`line\nbreak \u0085 \u2028 ${index} "`),
    );
    if (index % 41 === 0) journal.flush();
  }
  journal.flush();
  t.strictSame(journal.read({ limit: 1000 }), wire);
  for (const { data, seq } of wire) {
    t.match(JSON.parse(data), { seq, text: /^line\nbreak \u0085 \u2028 / });
    t.notMatch(data, /[\n\r\u0085\u2028\u2029]/, "one line, whatever a client takes for the end of one");
  }
  for (const { seq, ts } of wire) {
    const rest = wire.slice(wire.findIndex((row) => row.seq === seq) + 1);
    const same = (rows: readonly EventRow[], wanted: readonly EventRow[]) =>
      rows.length === wanted.length && rows.every((row, index) => row.data === wanted[index]?.data);
    if (!same(journal.read({ afterSeq: seq, limit: 7 }), rest.slice(0, 7))) t.fail(`by number ${seq}`);
    if (!same(journal.read({ afterTs: ts, limit: 1000 }), rest)) t.fail(`by time ${ts}`);
    const own = rest.filter((row) => row.taskId === 'task "1"' && row.turnId === "turn2-1");
    if (!same(journal.read({ afterSeq: seq, taskId: 'task "1"', turnId: "turn2-1", limit: 1000 }), own))
      t.fail("filtered");
  }
});

t.test("old events are pruned, but never those of a running turn", async (t) => {
  const store = openStore(t.testdir());
  t.teardown(() => store.close());
  const journal = new EventJournal(new EventTable(store));
  store.db.exec(
    `insert into turns (turn_id, task_id, state, message, metadata, started_at) values ('open', 'o', 'running', '', '{}', 0)`,
  );
  for (const turn of ["open", "closed", "closed", "last"]) {
    journal.append("task", turn, said(turn));
    journal.flush();
  }
  journal.prune(Date.now() + 60_000, 1000);
  t.strictSame(
    journal.read({ limit: 10 }).map(({ turnId }) => turnId),
    ["open", "last"],
  );
});
