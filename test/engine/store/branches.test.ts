import t, { type Test } from "tap";
import { BranchTable } from "../../../src/engine/store/branches.ts";
import { CompactionTable } from "../../../src/engine/store/compactions.ts";
import { MessageTable } from "../../../src/engine/store/messages.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { TaskTable } from "../../../src/engine/store/tasks.ts";
import { freshFolder } from "../../helpers/folder.ts";

function conversations(t: Test) {
  const store = openStore(freshFolder(t));
  t.teardown(() => store.close());
  const [tasks, messages, branches] = [new TaskTable(store), new MessageTable(store), new BranchTable(store)];
  const compactions = new CompactionTable(store);
  let turns = 0;
  /** A turn: what the user says and what the agent answers. Returns the id of the answer. */
  const say = (taskId: string, text: string): number => {
    const turnId = `turn_${++turns}`;
    tasks.turnStarted(taskId, { agent: "default", message: text, at: turns });
    messages.append(taskId, { turnId, role: "user", content: text }, "", turns);
    messages.append(taskId, { turnId, role: "assistant", content: [{ kind: "text", text: `${text}!` }] }, "", turns);
    return messages.ofTask(taskId).at(-1)?.id ?? 0;
  };
  const said = (taskId: string) =>
    messages
      .ofTask(taskId)
      .filter(({ role }) => role === "user")
      .map(({ content }) => content);
  const current = (taskId: string) => Number(branches.ofTask(taskId).at(-1)?.branchId);
  /** A task whose conversation begins with a prefix of another's. */
  const fork = (taskId: string, from: string, through: number) => {
    tasks.turnStarted(taskId, { agent: "default", message: "fork", at: 0 });
    tasks.continueFrom(taskId, { branchId: current(from), through }, 0);
  };
  const count = (taskId: string) =>
    Number(store.db.prepare("select message_count as n from tasks where task_id = ?").get(taskId)?.["n"]);
  const compact = (taskId: string, name: string, through: number) =>
    compactions.insert(
      {
        taskId,
        thread: "",
        turnId: "turn_1",
        strategy: "summary",
        record: { name, hiddenThrough: through, clearedThrough: through, summarisedThrough: through },
      },
      1,
    );
  const compaction = (taskId: string) => (compactions.last(taskId, "") as { name: string } | null)?.name ?? null;
  return { store, tasks, messages, branches, say, said, current, fork, count, compact, compaction };
}

t.test("a conversation is the messages of its branch and those before it of each ancestor", async (t) => {
  const { say, said, fork, count } = conversations(t);
  say("a", "one");
  const two = say("a", "two");
  say("a", "three");
  fork("b", "a", two);
  t.strictSame(said("b"), ["one", "two"]);
  say("a", "four");
  const five = say("b", "five");
  say("b", "six");
  fork("c", "b", five);
  say("c", "seven");
  t.strictSame(said("a"), ["one", "two", "three", "four"]);
  t.strictSame(said("b"), ["one", "two", "five", "six"]);
  t.strictSame(said("c"), ["one", "two", "five", "seven"]);
  t.strictSame([count("a"), count("b"), count("c")], [8, 8, 8]);
});

t.test("a cut within an ancestor of the parent holds for that ancestor", async (t) => {
  const { say, said, fork, current, tasks } = conversations(t);
  const one = say("a", "one");
  const two = say("a", "two");
  fork("b", "a", two);
  say("b", "three");
  tasks.continueFrom("b", { branchId: current("b"), through: one }, 0);
  t.strictSame(said("b"), ["one"]);
  say("b", "four");
  t.strictSame(said("b"), ["one", "four"]);
});

t.test("what came after a rewind stays readable as a branch", async (t) => {
  const { say, said, count, current, branches, messages, tasks, store } = conversations(t);
  const one = say("a", "one");
  say("a", "two");
  const left = current("a");
  tasks.continueFrom("a", { branchId: left, through: one }, 0);
  t.equal(count("a"), 2);
  say("a", "other");
  t.strictSame(said("a"), ["one", "other"]);
  t.match(branches.ofBranch(left), [{ branchId: left, through: Number.MAX_SAFE_INTEGER }]);
  t.match(store.db.prepare("select count(*) as n from messages where branch = ?").get(left), { n: 4 });
  t.equal(messages.ofTask("a", "", one).length, 2, "and only messages after an id are read of each branch");
});

t.test("a rewind to before the first message leaves an empty conversation", async (t) => {
  const { say, said, count, current, tasks } = conversations(t);
  say("a", "one");
  tasks.continueFrom("a", { branchId: current("a"), through: 0 }, 0);
  t.strictSame(said("a"), []);
  t.equal(count("a"), 0);
});

t.test("a compaction applies to the branches below only when they have all it speaks of", async (t) => {
  const { say, fork, compact, compaction, current, tasks } = conversations(t);
  const one = say("a", "one");
  const two = say("a", "two");
  compact("a", "first", one);
  fork("b", "a", two);
  t.equal(compaction("b"), "first");
  say("b", "three");
  compact("a", "beyond", say("a", "four"));
  t.equal(compaction("a"), "beyond");
  t.equal(compaction("b"), "first", "one that the parent made of later messages is not the fork's");
  compact("b", "own", two);
  compact("a", "newer, of the shared messages", one);
  t.equal(compaction("b"), "own", "an own record comes before a newer one of an ancestor");
  tasks.continueFrom("b", { branchId: current("b"), through: one - 1 }, 0);
  t.equal(compaction("b"), null, "a rewind to before its last message drops it");
});

t.test("a withdrawn message stays where another branch refers to it", async (t) => {
  const { say, said, fork, count, messages, tasks, store } = conversations(t);
  say("a", "one");
  tasks.turnStarted("a", { agent: "default", message: "lost", at: 9 });
  messages.append("a", { turnId: "turn_lost", role: "user", content: "lost" });
  const lost = messages.ofTask("a").at(-1)?.id ?? 0;
  fork("b", "a", lost);
  messages.withdraw("a", "turn_lost");
  t.strictSame(said("b"), ["one", "lost"]);
  store.db.exec("delete from branches where task_id = 'b'");
  messages.withdraw("a", "turn_lost");
  t.strictSame(said("a"), ["one"]);
  t.equal(count("a"), 2);
  say("a", "again");
  t.ok((messages.ofTask("a")[2]?.id ?? 0) > lost, "an id is never used again");
});

t.test("answers of a turn and the results of its calls count as one message", async (t) => {
  const { tasks, messages, count } = conversations(t);
  tasks.turnStarted("a", { agent: "default", message: "go", at: 1 });
  for (const role of ["user", "assistant", "tool", "assistant"] as const)
    messages.append("a", { turnId: "turn_1", role, content: role === "user" ? "go" : [] });
  t.equal(count("a"), 2);
  messages.append("a", { turnId: "turn_1", role: "assistant", content: [] }, "nested");
  t.equal(count("a"), 2, "those of nested conversations do not count");
});
