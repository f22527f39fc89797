import { join } from "node:path";
import t, { type Test } from "tap";
import type { Compactor } from "../../../src/engine/agent/compaction.ts";
import { type Parts, engineParts, tasksOf } from "../../helpers/engine-parts.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { CLIENT_TOOL, Gate, gatedModel, shownIn } from "../../helpers/gated-model.ts";
import { NO_SPAN } from "../../../src/shared/tracing/span.ts";
import { taskBranches } from "../../helpers/task-branches.ts";
import { until } from "../../helpers/until.ts";

/** What the task of the first message does when the command comes. */
const STATES = {
  "answered by a model": { message: "model one", isCut: true },
  "running a tool": { message: "tool one", isCut: false },
  "waiting for a person": { message: "ask one", isCut: false },
  "waiting for a tool of the client": { message: "client one", isCut: false },
  compacting: { message: "compact one", isCut: true },
} as const;
type State = keyof typeof STATES;
/** What happens to the engine after the command. */
const FATES = ["lives on", "is killed", "sleeps", "drains and restarts"] as const;
type Fate = (typeof FATES)[number];
const SENT = ["queue", "steer", "interrupt", "cancel"] as const;
/** Commands for the conversation that the turn is in. */
const BRANCHED = ["fork", "rewind", "delete"] as const;
type Branching = (typeof BRANCHED)[number];
type Command = (typeof SENT)[number] | Branching;

interface World extends Parts {
  readonly gate: Gate;
  readonly requests: ReturnType<typeof gatedModel>["requests"];
  /** Events as a reader sees them. */
  readonly live: string[];
}

function open(t: Test, dataDir: string): World {
  const gate = new Gate();
  const model = gatedModel(gate);
  const compactor: Compactor = {
    async fit(request, { signal, log }) {
      const isFirst = log.steps === 0 && shownIn(request).at(-1)?.startsWith("compact");
      if (isFirst) await gate.pass(signal);
      signal.throwIfAborted();
      return request;
    },
    measured: () => undefined,
    shrink: () => Promise.resolve(null),
  };
  const parts = engineParts(t, { ...model, compactor, dataDir });
  const live: string[] = [];
  parts.journal.subscribe("t", (rows) => live.push(...rows.map(({ data }) => data)));
  t.teardown(() => gate.open());
  return { ...parts, ...model, gate, live };
}

function send({ intake }: Parts, text: string, command: "queue" | "steer" | "interrupt" = "queue") {
  const whenBusy = command === "queue" ? "queue" : "steer";
  const message = {
    taskId: "t",
    messageId: text,
    bodyHash: text,
    whenBusy,
    interrupt: command === "interrupt",
  } as const;
  const options = { alongside: () => undefined, from: { kind: "call", span: NO_SPAN } } as const;
  const tools = text.startsWith("client") ? { client_tools: [CLIENT_TOOL] } : {};
  const sent = intake.send({ task_id: "t", message: text, ...tools }, message, options);
  if (sent.kind === "started") sent.turn.run();
}

/** The engine's next life, as its folder is now. */
function restarted(t: Test, world: World, fate: Fate): World {
  if (fate === "lives on") return world;
  if (fate === "drains and restarts") world.runner.drain();
  if (fate !== "is killed") world.runner.park();
  const dataDir = freshFolder(t);
  world.store.db.exec(`vacuum into '${join(dataDir, "engine.db")}'`);
  // What the old process does from now on is of another folder.
  world.runner.parkAll();
  const next = open(t, dataDir);
  next.runner.recover();
  next.intake.startWaiting();
  return next;
}

async function finished(world: World): Promise<void> {
  world.gate.open();
  await until("nothing is left to do", () => {
    for (const { request_id } of world.humanRequests.pending()) world.humanRequests.answer(request_id, "so");
    for (const { tool_call_id } of world.clientCalls.pending()) world.clientCalls.answer(tool_call_id, { output: 1 });
    return world.slots.size === 0 && world.inbox.list("t").length === 0;
  });
}

/** The order in which the conversation has the messages. */
function expected(state: State, command: Command, fate: Fate): readonly string[] {
  const { message, isCut } = STATES[state];
  if (isBranching(command)) return ["early", message, "before", "after"];
  if (command === "queue" || command === "cancel")
    return [message, "before", ...(command === "queue" ? ["sent"] : []), "after"];
  // A steered message enters the turn where there is a point before a model call: after the results of a call, where the
  // answer was cut, and where a restart repeats the call.
  const enters = !isCut || command === "interrupt" || fate !== "lives on";
  return enters ? [message, "sent", "before", "after"] : [message, "before", "sent", "after"];
}

const isBranching = (command: Command): command is Branching => (BRANCHED as readonly string[]).includes(command);

/** While a turn is in flight, only a fork of what was before it is possible. */
async function branch(t: Test, world: World, command: Branching): Promise<void> {
  const early = world.messages.ofTask("t")[0]?.id ?? 0;
  const busy = { code: "TASK_BUSY" };
  const branches = taskBranches(world);
  const rewind = { toMessage: early, keep: true, files: "keep", dryRun: false, force: false } as const;
  if (command === "fork") t.match(branches.fork("t", { afterMessage: null, newTaskId: "f" }), { message_count: 2 });
  else if (command === "rewind") await t.rejects(branches.rewind("t", rewind), busy);
  else await t.rejects(tasksOf(world).taskChanger.delete("t", { forget: false }), busy);
}

/** When the task is idle, each is possible, and the next turn sees what it left. */
async function branchIdle(t: Test, world: World, command: Branching): Promise<void> {
  const early = world.messages.ofTask("t")[0]?.id ?? 0;
  const branches = taskBranches(world);
  const rewind = { toMessage: early, keep: true, files: "keep", dryRun: false, force: false } as const;
  if (command === "rewind") t.match(await branches.rewind("t", rewind), { left_branch: /^branch_/ });
  if (command === "delete") {
    await tasksOf(world).taskChanger.delete("t", { forget: false });
    t.same(world.messages.ofTask("t"), []);
    t.same(world.journal.read({ taskId: "t", limit: 10_000 }), []);
  }
  await world.turn(command === "fork" ? "f" : "t", "next");
  const left = { fork: ["early", "assistant"], rewind: ["early"], delete: [] }[command];
  t.same(shownIn(world.requests.at(-1)), [...left, "next"]);
}

async function interleave(
  t: Test,
  { state, fate, command }: { readonly state: State; readonly fate: Fate; readonly command: Command },
): Promise<void> {
  const { message } = STATES[state];
  const first = open(t, freshFolder(t));
  if (isBranching(command)) {
    send(first, "early");
    await until("the first turn is over", () => first.slots.size === 0);
  }
  send(first, message);
  await until(`it is ${state}`, () => isReached(first, state));
  send(first, "before");
  if (isBranching(command)) await branch(t, first, command);
  else if (command === "cancel") first.runner.cancel("t");
  else send(first, "sent", command);
  send(first, "after");
  const world = restarted(t, first, fate);
  await finished(world);
  const rows = world.messages.ofTask("t");
  const texts = rows.filter(({ role }) => role === "user").map(({ content }) => content);
  t.same(texts, expected(state, command, fate), "each once, in order");
  // An engine that dies or stops first repeats the call instead.
  if (command === "interrupt" && state === "answered by a model" && fate === "lives on")
    t.equal(rows[1]?.role, "assistant", "what was said stays");
  t.same(
    shownIn(world.requests.at(-1)),
    [...(texts.length > 0 ? shownOf(rows.slice(0, -1)) : [])],
    "as the model saw it",
  );
  checkEvents(t, world, { texts, turns: [...new Set(rows.map(({ turnId }) => turnId))] });
  if (isBranching(command)) await branchIdle(t, world, command);
}

function isReached({ humanRequests, clientCalls, gate }: World, state: State): boolean {
  if (state === "waiting for a person") return humanRequests.pending().length > 0;
  if (state === "waiting for a tool of the client") return clientCalls.pending().length > 0;
  return gate.waiting > 0;
}

function checkEvents(
  t: Test,
  { journal, live }: World,
  { texts, turns }: { readonly texts: readonly unknown[]; readonly turns: readonly (string | null)[] },
): void {
  const events = journal.read({ taskId: "t", limit: 10_000 });
  const ids = (type: string) =>
    events
      .filter((one) => one.type === type)
      .map(({ data }) => (JSON.parse(data) as { message_id: string }).message_id);
  t.same(ids("message_taken"), texts, "each is told once");
  t.same(ids("message_removed"), []);
  const ends = events.filter(({ type, data }) => type === "thread_lifecycle" && !data.includes('"started"'));
  t.same(
    ends.map(({ turnId }) => turnId),
    turns,
    "each turn ends once, and one after the other",
  );
  t.same(live, events.map(({ data }) => data).slice(-live.length), "a replay is what was live");
}

for (const state of Object.keys(STATES) as State[])
  for (const fate of FATES)
    for (const command of [...SENT, ...BRANCHED])
      t.test(`${command} while ${state}, and the engine ${fate}`, (t) => interleave(t, { state, fate, command }));

/** Messages as a request shows them. */
const shownOf = (rows: readonly { readonly role: string; readonly content: unknown }[]) =>
  rows.map(({ role, content }) => (role === "user" ? String(content) : role));
