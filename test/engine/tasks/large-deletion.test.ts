import { setImmediate as nextTurn } from "node:timers/promises";
import t from "tap";
import { createEngineClient } from "../../../src/client/engine-client.ts";
import { EventTable } from "../../../src/engine/store/events.ts";
import { MessageIndex } from "../../../src/engine/store/message-index.ts";
import { type Store, openStore } from "../../../src/engine/store/open-store.ts";
import { TaskTable } from "../../../src/engine/store/tasks.ts";
import { startEngine } from "../../helpers/engine.ts";
import { engineParts, tasksOf } from "../../helpers/engine-parts.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";

const MESSAGES = 100_000;
/** Of files, each with two contents. */
const CHANGES = 20_000;
/**
 * CPU time, for other programs run on the machine too. Some 40 ms are measured, for a merge of the full-text index, and
 * 740 when a deletion is one transaction, and some 1,000 when its changes of files are.
 */
const LONGEST_MS = 100;

/** A conversation of two messages a turn, indexed, with an event for each. */
function fill(store: Store, taskId: string, messages: number): void {
  new TaskTable(store).turnStarted(taskId, { agent: "default", message: "one", at: 1 });
  store.transaction(() => {
    const numbers = "with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)";
    const run = (sql: string, count: number) => store.db.prepare(`${numbers} ${sql}`).run(taskId, count);
    run(
      `insert into turns (turn_id, task_id, message, metadata, request, state, started_at, ended_at)
       select ?1 || i, ?1, 'hello', '{}', '{}', 'completed', i, i from n`,
      messages / 2,
    );
    run(
      `insert into messages (task_id, turn_id, thread, branch, role, created_at, content)
       select ?1, ?1 || ((i + 1) / 2), '', (select branch_id from tasks where task_id = ?1), iif(i % 2, 'user', 'tool'), i,
         json_quote('some words of message ' || i || replace(hex(zeroblob(100)), '00', ' x')) from n`,
      messages,
    );
  });
  const index = new MessageIndex(store);
  for (let some = index.unindexed(5000); some.length > 0; some = index.unindexed(5000)) {
    const terms = some.map(({ id, branch }) => ({ id, branch, text: `word${id % 997} word${id % 89} message` }));
    store.transaction(() => index.add(terms, some.at(-1)?.id ?? 0));
  }
  const events = new EventTable(store);
  const { seq } = events.last();
  const row = (at: number) => ({ seq: seq + at, ts: at, taskId, turnId: `${taskId}${at}`, type: "text_delta" });
  const rows = Array.from({ length: messages / 2 }, (_, at) => ({ ...row(at + 1), body: "{}", data: "{}" }));
  events.insert(rows);
}

/** What the task's calls changed in the workspace. */
function fillChanges(store: Store, taskId: string): void {
  const file = `json_object('kind', 'file', 'digest', lower(hex(randomblob(32))))`;
  const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${CHANGES})`;
  store.transaction(() => {
    store.db
      .prepare(
        `${numbers} insert into file_changes (task_id, turn_id, tool_call_id, message_id, path, before, after, overlaps)
         select ?1, ?1 || i, 'call_' || i, i, 'file ' || i, ${file}, ${file}, 0 from n`,
      )
      .run(taskId);
    for (const state of ["before", "after"])
      store.db.exec(`insert into checkpoint_contents select ${state} ->> '$.digest', 1, id from file_changes`);
  });
}

const rowsOf = (store: Store, taskId: string) =>
  ["messages", "turns", "events", "branches", "file_changes"].map((table) =>
    Number(store.db.prepare(`select count(*) as n from ${table} where task_id = ?`).get(taskId)?.["n"]),
  );

t.test("while a task with 100,000 messages is deleted, no call waits for long", async (t) => {
  const parts = engineParts(t, { dataDir: freshFolder(t) });
  fill(parts.store, "large", MESSAGES);
  fillChanges(parts.store, "large");
  const { taskChanger, taskList } = tasksOf(parts);
  // Whatever runs between two turns of the event loop.
  let longest = 0;
  let before = process.threadCpuUsage();
  let turns = 0;
  let isOver = false;
  const deletion = taskChanger.delete("large", { forget: true }).finally(() => (isOver = true));
  for (; ; turns++) {
    await nextTurn();
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1000);
    before = now;
    if (isOver) break;
    if (taskList.find("large") !== null) t.fail("it is out of sight");
    if (turns === 3) t.throws(() => parts.runner.start({ task_id: "large", message: "hi" }), { code: "TASK_BUSY" });
  }
  const deleted = await deletion;
  t.comment(`the longest of ${turns} turns of the event loop took ${longest} ms`);
  t.ok(longest <= LONGEST_MS, `${longest} ms`);
  t.match(deleted, { deleted: { messages: MESSAGES, turns: MESSAGES / 2 }, kept_messages: 0 });
  t.same(rowsOf(parts.store, "large"), [0, 0, 0, 0, 0]);
  t.equal(parts.store.db.prepare("select count(*) as n from checkpoint_contents").get()?.["n"], 0);
  t.equal(parts.store.db.prepare("select count(*) as n from messages_index_docsize").get()?.["n"], 0);
});

t.test("a deletion that was killed goes on at the next start, and its id begins a new conversation", async (t) => {
  const dataDir = freshFolder(t);
  const store = openStore(dataDir);
  fill(store, "large", 30_000);
  fill(store, "other", 10);
  const kept = rowsOf(store, "other");
  store.close();
  const first = await startEngine(t, { dataDir });
  const client = createEngineClient({ url: first.url, key: first.key });
  const cut = client.deleteTask("large").catch(() => null);
  await until("the record is gone", async () => (await first.call("/tasks/large")).status === 404);
  t.match((await first.call("/execute", { body: { task_id: "large", message: "/say hi" } })).body, {
    error: "TASK_BUSY",
    message: /being deleted/,
  });
  const queued = { task_id: "large", message: "/say anew", when_busy: "queue" };
  const headers = { accept: "application/json" };
  t.match(await first.call("/execute", { body: queued, headers }), { status: 202 });
  await first.stop("SIGKILL");
  await cut;
  const second = await startEngine(t, { dataDir, key: first.key });
  await until("the message that came meanwhile has its turn", async () => {
    const { body } = await second.call("/turns?task_id=large");
    return body.items.length === 1 && body.items[0].state === "completed";
  });
  t.match((await second.call("/tasks/large")).body, { message_count: 2, title: "/say anew" });
  await second.stop();
  const after = openStore(dataDir);
  t.teardown(() => after.close());
  t.same(rowsOf(after, "large").slice(0, 2), [2, 1]);
  t.same(rowsOf(after, "other"), kept);
  t.equal(after.state.get("removals"), null);
});
