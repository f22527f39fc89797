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

/** Events that need each other, in their order. Chance alone seldom puts them together. */
export function storyEvents(draws: Draws, user: string): readonly Event[] {
  const start = draws.integer("story time", 4000, HORIZON_MS);
  const after = (ms: number) => start + draws.integer("story ms", 0, ms);
  const awake: Event = { at: start - 3000, does: { kind: "admit", user } };
  switch (draws.integer("story", 1, 6)) {
    case 1:
      // The record of a crash arrives when the engine runs again.
      return [
        awake,
        { at: start, does: { kind: "change is late", ms: 8000 } },
        { at: start, does: { kind: "engine crashes", user } },
        { at: after(2000), does: { kind: "restart", user } },
      ];
    case 2:
      // The next daemon cannot tell whether an engine that was going to sleep runs.
      return [
        awake,
        { at: start, change: 1, does: { kind: "daemon dies", ms: 0 } },
        { at: start, does: { kind: "processes are unknown", ms: 6000, share: 1 } },
        { at: start, does: { kind: "sleep", user } },
        { at: after(4000), does: { kind: "start", user } },
      ];
    case 3:
      // The daemon dies while an engine boots, which then says nothing.
      return [
        awake,
        { at: start - 1000, does: { kind: "stop", user } },
        { at: start, does: { kind: "boots are bad", ms: 4000, share: 1 } },
        { at: start, change: 2, does: { kind: "daemon dies", ms: 0 } },
        { at: start, does: { kind: "start", user } },
      ];
    case 4:
      // The record of a crash is committed without an answer, and a start comes while the engine is revived.
      return [
        awake,
        { at: start, change: 1, does: { kind: "postgres is away", ms: 2000 + after(4000) - start } },
        { at: start, does: { kind: "engine crashes", user } },
        { at: after(8000), does: { kind: "start", user } },
      ];
    case 5:
      // A stop comes while the engine starts.
      return [
        awake,
        { at: start - 1000, does: { kind: "stop", user } },
        { at: start, does: { kind: "start", user } },
        { at: after(500), does: { kind: "stop", user } },
      ];
    default:
      // The database is away when an engine has fallen asleep.
      return [
        awake,
        { at: start, change: 1, does: { kind: "postgres is away", ms: after(9000) - start } },
        { at: start, does: { kind: "sleep", user } },
      ];
  }
}
