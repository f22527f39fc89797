import t, { type Test } from "tap";
import { NO_SPAN } from "../../../src/shared/tracing/span.ts";
import type { WorkspaceCheckpoints } from "../../../src/engine/checkpoints/workspace-checkpoints.ts";
import { BranchTable } from "../../../src/engine/store/branches.ts";
import { ConversationTable } from "../../../src/engine/store/conversations.ts";
import { engineParts, scriptedProvider } from "../../helpers/engine-parts.ts";
import { NO_FILES as NOTHING, taskBranches } from "../../helpers/task-branches.ts";
import { until } from "../../helpers/until.ts";

const REWIND = { keep: true, files: "keep", dryRun: false, force: false } as const;

function branchesOf(t: Test, plan: WorkspaceCheckpoints["plan"] = () => Promise.resolve(NOTHING)) {
  const provider = scriptedProvider();
  const parts = engineParts(t, { provider });
  const { store, runner, slots, messages } = parts;
  const conversations = new ConversationTable(store);
  const branches = taskBranches(parts, plan);
  const idOf = (text: string) => messages.ofTask("a").findLast(({ content }) => content === text)?.id ?? 0;
  const regenerate = async () => {
    const turn = runner.start({ task_id: "a", message: branches.lastAsked("a") ?? "none", regenerate: true });
    turn.run();
    await until("the turn is over", () => slots.get("a") === undefined);
  };
  const asked = () => JSON.stringify(provider.requests.at(-1)?.messages);
  const turn = (taskId: string, message: string) => parts.turn(taskId, message);
  return { ...parts, turn, branches, conversations, idOf, asked, regenerate, tables: new BranchTable(store) };
}

t.test("while a task is rewound no turn of it starts, and none is cancelled", async (t) => {
  const planning = Promise.withResolvers<typeof NOTHING>();
  const { branches, runner, slots, turn, idOf } = branchesOf(t, () => planning.promise);
  await turn("a", "one");
  const rewound = branches.rewind("a", { ...REWIND, files: "restore", toMessage: idOf("one") });
  t.throws(() => runner.start({ task_id: "a", message: "two" }), { code: "TASK_BUSY" });
  await t.rejects(branches.rewind("a", { ...REWIND, toMessage: 1 }), { code: "TASK_BUSY" });
  t.equal(runner.cancel("a"), false);
  t.equal(runner.busy, 1, "the engine stays awake");
  planning.resolve(NOTHING);
  t.match(await rewound, { left_branch: "branch_1" });
  t.equal(slots.size, 0);
  t.ok((await turn("a", "two")).length > 0);
});

t.test("a message that is sent during a rewind waits, and has its turn after it", async (t) => {
  const planning = Promise.withResolvers<typeof NOTHING>();
  const { branches, intake, messages, slots, turn, idOf } = branchesOf(t, () => planning.promise);
  await turn("a", "one");
  await turn("a", "two");
  const rewound = branches.rewind("a", { ...REWIND, files: "restore", toMessage: idOf("two"), keep: false });
  const message = { taskId: "a", messageId: "m", bodyHash: "h", whenBusy: "queue", interrupt: false } as const;
  const options = { alongside: () => undefined, from: { kind: "call", span: NO_SPAN } } as const;
  t.match(intake.send({ task_id: "a", message: "edited" }, message, options), { kind: "waiting" });
  planning.resolve(NOTHING);
  await rewound;
  await until("the message has its answer", () => slots.size === 0 && messages.ofTask("a").length === 4);
  t.strictSame(
    messages.ofTask("a").flatMap(({ role, content }) => (role === "user" ? [content] : [])),
    ["one", "edited"],
  );
});

t.test("a failure while files are restored leaves the conversation, and frees the task", async (t) => {
  const { branches, messages, slots, turn, idOf } = branchesOf(t, () => Promise.reject(new Error("no disk")));
  await turn("a", "one");
  const before = messages.ofTask("a");
  const failing = branches.rewind("a", { ...REWIND, files: "restore", toMessage: idOf("one") });
  await t.rejects(failing, { message: "no disk" });
  t.strictSame([messages.ofTask("a"), slots.size], [before, 0]);
});

t.test("many edits and repeated answers leave a conversation of few branches", async (t) => {
  const { branches, conversations, messages, turn, idOf, asked, regenerate, tables } = branchesOf(t);
  await turn("a", "one");
  await turn("a", "two");
  for (let round = 0; round < 20; round++) {
    await branches.rewind("a", { ...REWIND, toMessage: idOf(round === 0 ? "two" : `edit ${round - 1}`), keep: false });
    await turn("a", `edit ${round}`);
    await branches.rewind("a", { ...REWIND, toMessage: idOf(`edit ${round}`) });
    await regenerate();
  }
  t.ok(tables.ofTask("a").length <= 2, `${tables.ofTask("a").length} branches`);
  t.strictSame(
    messages.ofTask("a").map(({ role }) => role),
    ["user", "assistant", "user", "assistant"],
  );
  t.equal(asked().split("edit 19").length, 2);
  t.notOk(asked().includes("edit 18"));
  t.equal(conversations.lastUpTo("a", 0), null);
});

t.test("what came after a rewind is listed as a branch, one that is empty is not", async (t) => {
  const { branches, turn, idOf } = branchesOf(t);
  await turn("a", "one");
  const one = `msg_${idOf("one")}`;
  await turn("a", "two");
  await branches.rewind("a", { ...REWIND, toMessage: idOf("two"), keep: true });
  await branches.rewind("a", { ...REWIND, toMessage: idOf("two"), keep: false });
  const answer = `msg_${idOf("one") + 1}`;
  await turn("a", "other");
  t.match(branches.list("a"), [
    { branch_id: "branch_1", is_current: false, after_message: null, first_message: one },
    { branch_id: "branch_3", is_current: true, after_message: answer, first_message: `msg_${idOf("other")}` },
  ]);
});

t.test("an empty conversation goes on after a rewind to before its first message", async (t) => {
  const { branches, messages, turn, idOf } = branchesOf(t);
  await turn("a", "one");
  const rewound = await branches.rewind("a", { ...REWIND, toMessage: idOf("one"), keep: false });
  t.match(rewound, { last_message: null, left_branch: "branch_1" });
  await turn("a", "first again");
  t.strictSame(messages.ofTask("a")[0]?.content, "first again");
});

t.test("of two failed messages only the last is answered again", async (t) => {
  const { branches, messages, regenerate, store, turn } = branchesOf(t);
  await turn("a", "one");
  for (const text of ["lost", "also lost"]) {
    const turnId = `turn_${text}`;
    messages.append("a", { turnId, role: "user", content: text });
    store.db
      .prepare(
        `insert into turns (turn_id, task_id, state, message, metadata, error_code, started_at, ended_at)
         values (?, 'a', 'errored', ?, '{}', 'CANCELLED', ?, ?)`,
      )
      .run(turnId, text, Date.now() + 1, Date.now() + 1);
  }
  t.equal(branches.lastAsked("a"), "also lost");
  await regenerate();
  t.strictSame(
    messages.ofTask("a").flatMap(({ role, content }) => (role === "user" ? [content] : [])),
    ["one", "lost", "also lost"],
  );
});
