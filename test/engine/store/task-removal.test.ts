import t, { type Test } from "tap";
import { BranchTable } from "../../../src/engine/store/branches.ts";
import { ClientCallTable } from "../../../src/engine/store/client-call-table.ts";
import { EventTable } from "../../../src/engine/store/events.ts";
import { LoadedToolTable } from "../../../src/engine/store/loaded-tools.ts";
import { MessageTable } from "../../../src/engine/store/messages.ts";
import { type Store, openStore } from "../../../src/engine/store/open-store.ts";
import { type RemovedRows, TaskRemoval } from "../../../src/engine/store/task-removal.ts";
import { TaskTable } from "../../../src/engine/store/tasks.ts";
import { TurnTable } from "../../../src/engine/store/turns.ts";
import { freshFolder } from "../../helpers/folder.ts";

const USAGE = { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 };

function finish(store: Store, steps: ReturnType<TaskRemoval["steps"]>): RemovedRows {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    store.transaction(step.value);
  }
}

function conversations(t: Test) {
  const store = openStore(freshFolder(t));
  t.teardown(() => store.close());
  const [tasks, messages, branches] = [new TaskTable(store), new MessageTable(store), new BranchTable(store)];
  const [turns, removal] = [
    new TurnTable(store),
    new TaskRemoval(store, { events: new EventTable(store), folder: "files" }),
  ];
  let at = 0;
  const say = (taskId: string, text: string): number => {
    const turnId = `turn_${text}`;
    tasks.turnStarted(taskId, { agent: "default", message: text, at: ++at });
    turns.insert({ turnId, taskId, message: text, metadata: {}, request: {}, startedAt: at });
    messages.append(taskId, { turnId, role: "user", content: text });
    messages.recalled(turnId, { block: text, trust: 1 }, at);
    turns.end(turnId, { errorCode: null, endedAt: at, usage: USAGE, output: null });
    return messages.ofTask(taskId).at(-1)?.id ?? 0;
  };
  const said = (taskId: string) =>
    messages.ofTask(taskId).map(({ content, recalled }) => `${String(content)} ${recalled}`);
  const current = (taskId: string) => Number(branches.ofTask(taskId).at(-1)?.branchId);
  const fork = (taskId: string, from: string, through: number) => {
    tasks.turnStarted(taskId, { agent: "default", message: "fork", at: ++at });
    tasks.continueFrom(taskId, { branchId: current(from), through }, at);
  };
  const remove = (taskId: string) => {
    store.transaction(() => removal.begin(taskId));
    return finish(store, removal.steps(taskId));
  };
  const rows = () =>
    ["tasks", "branches", "messages", "turns", "recalls"].map((table) =>
      Number(store.db.prepare(`select count(*) as n from ${table}`).get()?.["n"]),
    );
  return { store, tasks, turns, say, said, current, fork, removal, remove, rows };
}

t.test("what forks refer to stays until the last of them goes", async (t) => {
  const { turns, say, said, fork, remove, rows } = conversations(t);
  say("a", "one");
  const two = say("a", "two");
  say("a", "three");
  fork("b", "a", two);
  say("b", "four");
  fork("c", "b", two - 1);
  t.match(remove("a"), { messages: 1, turns: 1, kept: 2 });
  t.strictSame(said("b"), ["one one", "two two", "four four"], "with the memories that they were shown");
  t.strictSame(said("c"), ["one one"]);
  t.equal(turns.taskOf("turn_one"), "b", "the oldest fork owns it from now on");
  t.match(remove("b"), { messages: 2, turns: 2, kept: 1 });
  t.strictSame(said("c"), ["one one"]);
  t.match(remove("c"), { messages: 1, turns: 1, kept: 0 });
  // The fork's root branches, which no conversation uses, go with their tasks.
  t.strictSame(rows(), [0, 0, 0, 0, 0]);
});

t.test("a fork that is deleted between the steps of its task's deletion leaves nothing", async (t) => {
  for (let cut = 0, isOver = false; !isOver; cut++) {
    const { store, say, fork, removal, remove, rows } = conversations(t);
    say("a", "one");
    fork("b", "a", say("a", "two"));
    store.transaction(() => removal.begin("a"));
    const steps = removal.steps("a");
    for (let at = 0; at < cut && !isOver; at++) {
      const step = steps.next();
      if (step.done === true) isOver = true;
      else store.transaction(step.value);
    }
    remove("b");
    if (!isOver) finish(store, steps);
    t.strictSame(rows(), [0, 0, 0, 0, 0], `after ${cut} steps`);
  }
});

t.test("a task that was rewound and forked is deleted with all its branches", async (t) => {
  const { tasks, say, said, fork, current, remove, rows } = conversations(t);
  const one = say("a", "one");
  say("a", "two");
  tasks.continueFrom("a", { branchId: current("a"), through: one }, 1);
  fork("b", "a", one);
  say("a", "three");
  t.match(remove("a"), { messages: 2, turns: 2, kept: 1 });
  t.strictSame(said("b"), ["one one"]);
  say("a", "anew");
  t.strictSame(said("a"), ["anew anew"], "a task with the same id begins without what stays for the fork");
  t.match(remove("b"), { messages: 1 });
  t.match(remove("a"), { messages: 1 });
  t.strictSame(rows(), [0, 0, 0, 0, 0]);
});

t.test("a deletion that was killed after any step ends the same", async (t) => {
  const { say, said, fork, removal, remove, rows, store } = conversations(t);
  for (let steps = 0, isWhole = false; !isWhole; steps++) {
    const one = say("a", "one");
    for (let n = 0; n < 120; n++) say("a", `more ${n}`);
    fork("b", "a", one);
    store.transaction(() => removal.begin("a"));
    t.same(removal.unfinished, ["a"]);
    const killed = removal.steps("a");
    for (let n = 0; n < steps && !isWhole; n++) {
      const step = killed.next();
      if (step.done === true) isWhole = true;
      else store.transaction(step.value);
    }
    if (!isWhole) finish(store, removal.steps("a"));
    t.strictSame([removal.unfinished, said("b"), said("a")], [[], ["one one"], []], `after ${steps} steps`);
    t.match(remove("b"), { messages: 1, turns: 1, kept: 0 });
    t.strictSame(rows(), [0, 0, 0, 0, 0]);
  }
});

/** How the rows of each table with a task are deleted. */
const REMOVED: Readonly<Record<string, string>> = {
  tasks: "here",
  branches: "here, unless a fork needs them",
  messages: "here, unless a fork needs them",
  turns: "here, unless a fork needs them",
  compactions: "here, unless a fork needs them",
  hitl_requests: "here, unless a fork needs them",
  plan_items: "here",
  grants: "here",
  inbox: "here",
  client_tool_calls: "here",
  loaded_tools: "here",
  events: "by EventTable.removal",
  artifacts: "here, unless a fork needs them",
  file_changes: "by the checkpoints",
  incomplete_comparisons: "by the checkpoints",
  episodes: "memory: only when it is to forget",
  trajectories: "memory: only when it is to forget",
  working_memory: "memory: only when it is to forget",
  turn_notices: "by the daemon, once it has read them",
};

t.test("every table with a task is in the deletion of a task", async (t) => {
  const { store } = conversations(t);
  const tables = store.db
    .prepare(
      `select distinct tables.name as name from pragma_table_list tables, pragma_table_info(tables.name) columns
       where columns.name = 'task_id' and tables.schema = 'main' and tables.type = 'table'`,
    )
    .all()
    .map(({ name }) => String(name));
  t.same(tables.toSorted(), Object.keys(REMOVED).toSorted());
});

t.test("calls of the client and loaded tools go with their task", async (t) => {
  const { store, say, remove } = conversations(t);
  for (const task of ["a", "b"]) {
    say(task, `of ${task}`);
    new LoadedToolTable(store).add(task, "", ["look"]);
    const call = { toolCallId: `call_${task}`, taskId: task, turnId: `turn_of ${task}`, tool: "look", input: {} };
    new ClientCallTable(store).insert({
      ...call,
      outputSchema: null,
      agent: null,
      parentToolCallId: null,
      createdAt: 1,
    });
  }
  remove("a");
  for (const table of ["client_tool_calls", "loaded_tools"])
    t.same(store.db.prepare(`select task_id from ${table}`).all(), [{ task_id: "b" }], table);
});
