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
  isBranching,
  nextLife,
  reach,
  send,
  worldIn,
} from "../../helpers/interleaving.ts";

/** In which moment of a restart the command comes. */
const MOMENTS = ["while the engine drains", "just after a kill", "after a kill", "after a sleep"] as const;
type Moment = (typeof MOMENTS)[number];

interface Cell {
  readonly state: State;
  readonly moment: Moment;
  readonly command: Command;
}

async function interleave(t: Test, cell: Cell): Promise<void> {
  const { state, command } = cell;
  const first = await worldIn(t, state, command);
  const world = await commanded(t, first, cell);
  await finish(world);
  checkConversation(t, world, ordersOf(cell));
  await checkBranching(t, world, state, command);
}

/** The engine's last life, in which or before which it got the command. */
async function commanded(t: Test, first: World, { state, moment, command }: Cell): Promise<World> {
  if (moment === "while the engine drains") {
    first.runner.drain();
    await give(t, first, command, "ENGINE_DRAINING");
    send(first, "after");
    // Its turn has the time to end. The waiting messages are those of the next life.
    await finish(first, () => first.slots.size === 0);
    return nextLife(t, first);
  }
  if (moment === "after a sleep") first.runner.park();
  const world = nextLife(t, first);
  if (moment !== "just after a kill") await reach(world, state);
  await give(t, world, command);
  send(world, "after");
  return world;
}

function ordersOf({ state, moment, command }: Cell): readonly (readonly string[])[] {
  const enters = expectedOrder(state, command, true);
  const waits = expectedOrder(state, command, false);
  if (!STATES[state].isCut || command === "interrupt" || isBranching(command)) return [enters];
  // The repeated call may have begun, or not.
  return moment === "just after a kill" ? [enters, waits] : [waits];
}

for (const state of Object.keys(STATES) as State[])
  for (const moment of MOMENTS)
    for (const command of COMMANDS)
      t.test(`${command} ${moment} and the task is ${state}`, (t) => interleave(t, { state, moment, command }));
