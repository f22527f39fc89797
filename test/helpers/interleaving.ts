import { join } from "node:path";
import type { Test } from "tap";
import type { Compactor } from "../../src/engine/agent/compaction.ts";
import { NO_SPAN } from "../../src/shared/tracing/span.ts";
import { type Parts, engineParts, tasksOf } from "./engine-parts.ts";
import { freshFolder } from "./folder.ts";
import { CLIENT_TOOL, Gate, gatedModel, shownIn } from "./gated-model.ts";
import { halfDone } from "./half-done.ts";
import { taskBranches } from "./task-branches.ts";
import { until } from "./until.ts";

/** What the task of the first message does when the command comes. */
export const STATES = {
  "answered by a model": { message: "model one", isCut: true },
  "running a tool": { message: "tool one", isCut: false },
  "waiting for a person": { message: "ask one", isCut: false },
  "waiting for a tool of the client": { message: "client one", isCut: false },
  compacting: { message: "compact one", isCut: true },
} as const;
export type State = keyof typeof STATES;
const SENT = ["queue", "steer", "interrupt", "cancel"] as const;
/** Commands for the conversation that the turn is in. */
const BRANCHED = ["fork", "fork at its message", "rewind", "delete"] as const;
type Branching = (typeof BRANCHED)[number];
export const COMMANDS = [...SENT, ...BRANCHED] as const;
export type Command = (typeof COMMANDS)[number];

export interface World extends Parts {
  readonly gate: Gate;
  readonly requests: ReturnType<typeof gatedModel>["requests"];
  /** Events as a reader sees them. */
  readonly live: string[];
}

export function openWorld(t: Test, dataDir: string): World {
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

/** A world whose task is in a state, with an earlier turn for commands that need one, and a message that waits. */
export async function worldIn(t: Test, state: State, command: Command): Promise<World> {
  const world = openWorld(t, freshFolder(t));
  if (isBranching(command)) {
    send(world, "early");
    await until("the first turn is over", () => world.slots.size === 0);
  }
  send(world, STATES[state].message);
  await reach(world, state);
  t.not(halfDone(world.store.db, "t", []).length, 0, "it is in the middle of something");
  send(world, "before");
  return world;
}

export const reach = (world: World, state: State): Promise<unknown> =>
  until(`it is ${state}`, () => isReached(world, state));

function isReached({ humanRequests, clientCalls, gate }: World, state: State): boolean {
  if (state === "waiting for a person") return humanRequests.waiting > 0;
  if (state === "waiting for a tool of the client") return clientCalls.pending().length > 0;
  return gate.waiting > 0;
}

export function send({ intake }: Parts, text: string, command: "queue" | "steer" | "interrupt" = "queue"): void {
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

/** Gives the command to a task with a turn in flight, and a message after it. `busy`: the code of what cannot be done. */
export async function give(t: Test, world: World, command: Command, busy = "TASK_BUSY"): Promise<void> {
  if (isBranching(command)) await branch(t, world, command, busy);
  else if (command === "cancel") world.runner.cancel("t");
  else send(world, "sent", command);
}

/** While a turn is in flight, only a fork before its answer is possible. */
async function branch(t: Test, world: World, command: Branching, code: string): Promise<void> {
  const rows = world.messages.ofTask("t");
  const early = rows[0]?.id ?? 0;
  const branches = taskBranches(world);
  const asked = rows.findLast(({ role }) => role === "user")?.id ?? 0;
  const rewind = { toMessage: early, keep: true, files: "keep", dryRun: false, force: false } as const;
  if (command === "fork") t.match(branches.fork("t", { afterMessage: null, newTaskId: "f" }), { message_count: 2 });
  else if (command === "fork at its message")
    t.match(branches.fork("t", { afterMessage: asked, newTaskId: "f" }), { message_count: 3 });
  else if (command === "rewind") await t.rejects(branches.rewind("t", rewind), { code });
  else await t.rejects(tasksOf(world).taskChanger.delete("t", { forget: false }), { code });
}

/** The engine's next life, with its folder as it is now. */
export function nextLife(t: Test, world: World): World {
  const dataDir = freshFolder(t);
  world.store.db.exec(`vacuum into '${join(dataDir, "engine.db")}'`);
  // What the old process does from now on is of another folder.
  world.runner.parkAll();
  const next = openWorld(t, dataDir);
  next.runner.recover();
  next.intake.startWaiting();
  return next;
}

/** Lets every turn go on, and answers what is asked, until `isOver`. */
export async function finish(
  world: World,
  isOver = () => world.slots.size === 0 && world.inbox.list("t").length === 0,
): Promise<void> {
  world.gate.open();
  await until("nothing is left to do", () => {
    for (const { request_id } of world.humanRequests.pending()) world.humanRequests.answer(request_id, "so");
    for (const { tool_call_id } of world.clientCalls.pending()) world.clientCalls.answer(tool_call_id, { output: 1 });
    return isOver();
  });
}

/**
 * The order in which the conversation has the messages. `enters`: whether a steered one finds a point before a model
 * call in the turn: after the results of a call, where the answer was cut, and where a restart repeats the call.
 */
export function expectedOrder(state: State, command: Command, enters: boolean): readonly string[] {
  const { message } = STATES[state];
  if (isBranching(command)) return ["early", message, "before", "after"];
  if (command === "queue" || command === "cancel")
    return [message, "before", ...(command === "queue" ? ["sent"] : []), "after"];
  return enters ? [message, "sent", "before", "after"] : [message, "before", "sent", "after"];
}

/** Each message once and in one of these orders, as the model saw it and as it was told, and nothing half done. */
export function checkConversation(t: Test, world: World, orders: readonly (readonly string[])[]): void {
  const { journal, live } = world;
  const rows = world.messages.ofTask("t");
  const texts = rows.filter(({ role }) => role === "user").map(({ content }) => String(content));
  t.ok(
    orders.some((order) => order.join() === texts.join()),
    `each once, in order: ${texts.join()}`,
  );
  t.same(shownIn(world.requests.at(-1)), shownOf(rows.slice(0, -1)), "as the model saw it");
  const stored = journal.read({ taskId: "t", limit: 10_000 });
  const events = stored.map(({ type, data }) => ({ event: type, data: JSON.parse(data) }));
  const ids = (type: string) => events.filter(({ event }) => event === type).map(({ data }) => String(data.message_id));
  t.same(ids("message_taken"), texts, "each is told once");
  t.same(ids("message_removed"), []);
  const ends = events.filter(({ event, data }) => event === "thread_lifecycle" && data.phase !== "started");
  t.same(
    ends.map(({ data }) => data.turn_id),
    [...new Set(rows.map(({ turnId }) => turnId))],
    "each turn ends once, and one after the other",
  );
  t.same(live, stored.map(({ data }) => data).slice(-live.length), "a replay is what was live");
  t.same(halfDone(world.store.db, "t", events), [], "nothing is half done");
}

/** When the task is idle, each is possible, and the next turn sees what it left. */
export async function checkBranching(t: Test, world: World, state: State, command: Command): Promise<void> {
  if (!isBranching(command)) return;
  const early = world.messages.ofTask("t")[0]?.id ?? 0;
  const branches = taskBranches(world);
  const rewind = { toMessage: early, keep: true, files: "keep", dryRun: false, force: false } as const;
  if (command === "rewind") t.match(await branches.rewind("t", rewind), { left_branch: /^branch_/ });
  if (command === "delete") {
    await tasksOf(world).taskChanger.delete("t", { forget: false });
    t.same(world.messages.ofTask("t"), []);
    t.same(world.journal.read({ taskId: "t", limit: 10_000 }), []);
  }
  const taskId = command.startsWith("fork") ? "f" : "t";
  await world.turn(taskId, "next");
  const left = {
    fork: ["early", "assistant"],
    "fork at its message": ["early", "assistant", STATES[state].message],
    rewind: ["early"],
    delete: [],
  }[command];
  t.same(shownIn(world.requests.at(-1)), [...left, "next"]);
  const events = world.journal.read({ taskId, limit: 10_000 });
  t.same(
    halfDone(
      world.store.db,
      taskId,
      events.map(({ type, data }) => ({ event: type, data: JSON.parse(data) })),
    ),
    [],
    "nothing is half done after it",
  );
}

export const isBranching = (command: Command): command is Branching =>
  (BRANCHED as readonly string[]).includes(command);

/** Messages as a request shows them. */
const shownOf = (rows: readonly { readonly role: string; readonly content: unknown }[]) =>
  rows.map(({ role, content }) => (role === "user" ? String(content) : role));
