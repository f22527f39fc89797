import { join } from "node:path";
import t, { type Test } from "tap";
import type { Compactor } from "../../../src/engine/agent/compaction.ts";
import { type Parts, engineParts } from "../../helpers/engine-parts.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { Gate, gatedModel, shownIn } from "../../helpers/gated-model.ts";
import { NO_SPAN } from "../../../src/shared/tracing/span.ts";
import { until } from "../../helpers/until.ts";

/** What the task of the first message does when the command comes. */
const STATES = {
  "answered by a model": { message: "model one", isCut: true },
  "running a tool": { message: "tool one", isCut: false },
  "waiting for a person": { message: "ask one", isCut: false },
  compacting: { message: "compact one", isCut: true },
} as const;
type State = keyof typeof STATES;
/** What happens to the engine after the command. */
const FATES = ["lives on", "is killed", "sleeps", "drains and restarts"] as const;
type Fate = (typeof FATES)[number];
const COMMANDS = ["queue", "steer", "interrupt", "cancel"] as const;
type Command = (typeof COMMANDS)[number];

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
  const sent = intake.send({ task_id: "t", message: text }, message, options);
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
    return world.slots.size === 0 && world.inbox.list("t").length === 0;
  });
}

/** The order in which the conversation has the messages. */
function expected(state: State, command: Command, fate: Fate): readonly string[] {
  const { message, isCut } = STATES[state];
  if (command === "queue" || command === "cancel")
    return [message, "before", ...(command === "queue" ? ["sent"] : []), "after"];
  // A steered message enters the turn where there is a point before a model call: after the results of a call, where the
  // answer was cut, and where a restart repeats the call.
  const enters = !isCut || command === "interrupt" || fate !== "lives on";
  return enters ? [message, "sent", "before", "after"] : [message, "before", "sent", "after"];
}

for (const state of Object.keys(STATES) as State[])
  for (const fate of FATES)
    for (const command of COMMANDS)
      t.test(`${command} while ${state}, and the engine ${fate}`, async (t) => {
        const { message } = STATES[state];
        const first = open(t, freshFolder(t));
        send(first, message);
        await until(`it is ${state}`, () =>
          state === "waiting for a person" ? first.humanRequests.pending().length > 0 : first.gate.waiting > 0,
        );
        send(first, "before");
        if (command === "cancel") first.runner.cancel("t");
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
        const turns = [...new Set(rows.map(({ turnId }) => turnId))];
        t.same(
          shownIn(world.requests.at(-1)),
          [...(texts.length > 0 ? shownOf(rows.slice(0, -1)) : [])],
          "as the model saw it",
        );
        const events = world.journal.read({ taskId: "t", limit: 10_000 });
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
        t.same(world.live, events.map(({ data }) => data).slice(-world.live.length), "a replay is what was live");
      });

/** Messages as a request shows them. */
const shownOf = (rows: readonly { readonly role: string; readonly content: unknown }[]) =>
  rows.map(({ role, content }) => (role === "user" ? String(content) : role));
