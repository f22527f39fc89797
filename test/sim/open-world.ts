import { Draws } from "./kernel/draws.ts";
import { noFaults } from "./kernel/faults.ts";
import { Scheduler } from "./kernel/scheduler.ts";
import { type World, enter } from "./kernel/world.ts";
import { Machine } from "./machine/machine.ts";
import { emptyCopy, readSchema } from "./postgres/schema.ts";
import { Server } from "./postgres/server.ts";

const DAY_MS = 86_400_000;

const schema = await readSchema();
/** Ids are made from the time and must rise within this process, so each run has a day of its own. */
let today = Date.UTC(2026, 0, 1);

export interface OpenWorld extends World {
  /** What happened so far. */
  readonly trace: readonly string[];
  /** How far the machine's clock was set. */
  readonly clock: { offset: number };
}

/** Makes a world and enters it. `expected`: what an earlier run of the seed has drawn. */
export function openWorld({
  seed,
  pace,
  expected,
}: {
  readonly seed: number;
  /** Milliseconds that a slow message takes. */
  readonly pace: number;
  readonly expected?: readonly string[] | undefined;
}): OpenWorld {
  const draws = new Draws(seed, expected ?? null);
  const scheduler = new Scheduler(draws);
  const trace: string[] = [];
  const day = (today += DAY_MS);
  const clock = { offset: 0 };
  const wallNow = () => day + Math.floor(scheduler.now) + clock.offset;
  const made: OpenWorld = {
    draws,
    scheduler,
    faults: noFaults(),
    machine: new Machine(),
    postgres: new Server({ tables: emptyCopy(schema), scheduler, clock: wallNow }),
    wallNow,
    latency: (name) => draws.number(`latency ${name}`) ** 3 * pace,
    note: (text) => trace.push(`${(scheduler.now / 1000).toFixed(3)} ${text}`),
    trace,
    clock,
  };
  enter(made);
  return made;
}
