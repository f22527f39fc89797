import t, { type Test } from "tap";
import {
  COMMANDS,
  type Command,
  STATES,
  type State,
  type World,
  checkBranching,
  checkConversation,
  expectedOrder,
  finish,
  give,
  nextLife,
  send,
  worldIn,
} from "../../helpers/interleaving.ts";

/** What happens to the engine after the command. */
const FATES = ["lives on", "is killed", "sleeps", "drains and restarts"] as const;
type Fate = (typeof FATES)[number];

function restarted(t: Test, world: World, fate: Fate): World {
  if (fate === "lives on") return world;
  if (fate === "drains and restarts") world.runner.drain();
  if (fate !== "is killed") world.runner.park();
  return nextLife(t, world);
}

async function interleave(
  t: Test,
  { state, fate, command }: { readonly state: State; readonly fate: Fate; readonly command: Command },
): Promise<void> {
  const first = await worldIn(t, state, command);
  await give(t, first, command);
  send(first, "after");
  const world = restarted(t, first, fate);
  await finish(world);
  const enters = !STATES[state].isCut || command === "interrupt" || fate !== "lives on";
  checkConversation(t, world, [expectedOrder(state, command, enters)]);
  // An engine that dies or stops first repeats the call instead.
  if (command === "interrupt" && state === "answered by a model" && fate === "lives on")
    t.equal(world.messages.ofTask("t")[1]?.role, "assistant", "what was said stays");
  await checkBranching(t, world, state, command);
}

for (const state of Object.keys(STATES) as State[])
  for (const fate of FATES)
    for (const command of COMMANDS)
      t.test(`${command} while ${state}, and the engine ${fate}`, (t) => interleave(t, { state, fate, command }));
