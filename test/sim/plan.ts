import type { Setup } from "./daemon.ts";
import type { Draws } from "./kernel/draws.ts";
import { commandEvents } from "./plan-commands.ts";
import { storyEvents } from "./plan-stories.ts";
import { troubleEvents, troubleKinds } from "./plan-troubles.ts";
import { type Event, USERS } from "./plan-events.ts";

export interface Plan {
  readonly seed: number;
  readonly setup: Setup;
  /** Seconds after which an idle engine sleeps. */
  readonly idleStopS: number;
  readonly drainS: number;
  /** Milliseconds that a slow message takes. */
  readonly pace: number;
  readonly events: readonly Event[];
}

/** The plan that follows from a seed. */
export function makePlan(draws: Draws): Plan {
  const hasReplicas = draws.chance("plan replicas", 0.4);
  const setup: Setup = {
    ports: 12,
    maxAwake: draws.weighted("plan max awake", [
      [null, 3],
      [2, 2],
    ]),
    bootConcurrency: draws.integer("plan boot concurrency", 1, 3),
    healthIntervalS: draws.integer("plan health interval", 1, 4),
    hasReplicas,
    // Each replica would have a store of its own.
    keepsSockets: !hasReplicas && draws.chance("plan kept sockets", 0.4),
    spares: draws.pick("plan spares", [0, 0, 1, 2]),
  };
  const pace = draws.pick("plan pace", [2, 20, 200]);
  const users = USERS.slice(0, draws.integer("plan users", 1, USERS.length));
  const story = draws.chance("plan story", 0.5)
    ? storyEvents(draws, { user: draws.pick("plan user", users), hasReplicas })
    : [];
  // Half of the stories are told alone: with few other calls, and no other trouble.
  const isAlone = story.length > 0 && draws.chance("plan alone", 0.5);
  const commands = [
    // Most runs begin with engines.
    ...users
      .filter(() => draws.chance("plan first engine", 0.9))
      .map((user) => ({
        at: draws.integer("plan first time", 0, 3000),
        does: { kind: "admit" as const, user },
      })),
    ...commandEvents(
      draws,
      users,
      isAlone ? draws.integer("plan few commands", 0, 6) : draws.integer("plan commands", 8, 30),
    ),
  ];
  // One run in ten has no trouble.
  const count = isAlone || draws.chance("plan calm", 0.1) ? 0 : draws.integer("plan troubles", 1, 10);
  const troubles = troubleEvents(draws, { kinds: troubleKinds(draws, hasReplicas), count, pace, commands });
  return {
    seed: draws.seed,
    setup,
    idleStopS: draws.pick("plan idle stop", [0, 2, 10, 30]),
    drainS: draws.pick("plan drain", [0, 2]),
    pace,
    events: [...commands, ...troubles, ...story].toSorted((one, other) => one.at - other.at),
  };
}
