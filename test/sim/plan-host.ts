import type { Draws } from "./kernel/draws.ts";
import type { Event, Trouble } from "./plan-events.ts";
import type { Plan } from "./plan.ts";

const ENGINES = 100;
const HOUR_MS = 3_600_000;
/** Within which the users come for the first time. */
const ARRIVAL_MS = 120_000;
/** Calls of a user in an hour. */
const CALLS = 3;
/** What goes wrong once an hour. */
const TROUBLES: readonly Trouble["kind"][] = ["engine crashes", "postgres is away", "daemon dies"];

/** A quiet host: a hundred users who call now and then, whose engines sleep in between, and a few troubles an hour. */
export function makeHostPlan(draws: Draws, hours: number): Plan {
  const users = Array.from({ length: ENGINES }, (_, at) => `user ${at + 1}`);
  const end = ARRIVAL_MS + hours * HOUR_MS;
  const time = () => draws.integer("host time", ARRIVAL_MS, end);
  const events: Event[] = users.flatMap((user) => [
    { at: draws.integer("host arrival", 1000, ARRIVAL_MS), does: { kind: "admit", user } },
    ...Array.from({ length: CALLS * hours }, () => ({
      at: time(),
      does: { kind: "turn" as const, user, ms: draws.integer("host turn ms", 500, 20_000) },
    })),
  ]);
  for (let hour = 0; hour < hours; hour++)
    for (const kind of TROUBLES)
      events.push({ at: time(), does: { kind, user: draws.pick("host user", users), ms: 5000 } as Trouble });
  return {
    seed: draws.seed,
    setup: {
      ports: ENGINES + 20,
      maxAwake: null,
      bootConcurrency: 3,
      healthIntervalS: 10,
      hasReplicas: false,
      keepsSockets: true,
      spares: 1,
    },
    idleStopS: 300,
    drainS: 2,
    pace: 20,
    events: events.toSorted((one, other) => one.at - other.at),
  };
}
