import type { Draws } from "./kernel/draws.ts";
import { type Command, type Event, HORIZON_MS } from "./plan-events.ts";

type Weighted = readonly (readonly [Command["kind"], number])[];

const COMMANDS: Weighted = [
  ["admit", 10],
  ["provision", 2],
  ["turn", 12],
  ["start", 5],
  ["stop", 4],
  ["kill", 2],
  ["sleep", 5],
  ["restart", 2],
  ["destroy", 1],
  ["destroy keeping data", 2],
];

/** What comes while the command before is being carried out. */
const NEXT: Weighted = [
  ["admit", 4],
  ["turn", 4],
  ["start", 5],
  ["stop", 5],
  ["kill", 2],
  ["sleep", 3],
  ["restart", 2],
  ["destroy", 1],
];

/** How soon, at most. */
const SOON_MS = [20, 200, 1000];

/** Some come soon after another one of the same user. */
export function commandEvents(draws: Draws, users: readonly string[], count: number): readonly Event[] {
  const events: { at: number; does: Command }[] = [];
  for (let left = count; left > 0; left--) {
    const before = draws.chance("plan soon after", 0.45) ? events.at(-1) : undefined;
    if (before === undefined)
      events.push({
        at: draws.integer("plan time", 1000, HORIZON_MS),
        does: commandOf(draws, COMMANDS, draws.pick("plan user", users)),
      });
    else
      events.push({
        at: before.at + draws.integer("plan after ms", 0, draws.pick("plan soon", SOON_MS)),
        does: commandOf(draws, NEXT, before.does.user),
      });
  }
  return events;
}

function commandOf(draws: Draws, kinds: Weighted, user: string): Command {
  const kind = draws.weighted("plan command", kinds);
  return kind === "turn" ? { kind, user, ms: draws.integer("plan turn ms", 1, 6000) } : { kind, user };
}
