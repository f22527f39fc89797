import type { Machine } from "../machine/machine.ts";
import type { Server } from "../postgres/server.ts";
import type { Faults } from "./faults.ts";
import type { Draws } from "./draws.ts";
import type { Scheduler } from "./scheduler.ts";

/** Everything that is not the daemon's own program. */
export interface World {
  readonly draws: Draws;
  readonly scheduler: Scheduler;
  readonly machine: Machine;
  readonly postgres: Server;
  /** Milliseconds since the epoch by the machine's clock, which may be set. */
  readonly wallNow: () => number;
  /** Milliseconds that a message takes. */
  readonly latency: (name: string) => number;
  readonly faults: Faults;
  /** Adds a line to the trace of the run. */
  readonly note: (text: string) => void;
}

let current: World | null = null;

/** The world of the run in progress: the modules that stand in for Node.js and PostgreSQL have no other way to it. */
export function world(): World {
  if (current === null) throw new Error("no simulation runs");
  return current;
}

export const enter = (next: World): void => {
  current = next;
};
