import { Draws } from "../kernel/draws.ts";
import { Scheduler } from "../kernel/scheduler.ts";
import { ShardDaemon } from "./shard-daemon.ts";
import { ShardDatabase } from "./shard-database.ts";
import { ShardInvariants } from "./shard-invariants.ts";
import { RULES } from "./shard-rules.ts";

/** As many as the design has. */
const SHARDS = 256;
const END_MS = 600_000;

/**
 * How long the division takes, in simulated milliseconds, from the start of one more daemon beside `others` that lead all
 * shards until all lead equally many. Null within ten minutes: the division is not even by then.
 */
export async function evenAfterArrival(
  seed: number,
  others: number,
): Promise<{ readonly ms: number | null; readonly moves: number }> {
  const draws = new Draws(seed);
  const scheduler = new Scheduler(draws);
  const invariants = new ShardInvariants();
  const database = new ShardDatabase(SHARDS, { scheduler, draws, rules: RULES, observer: invariants });
  const daemons: ShardDaemon[] = [];
  const start = (id: string): void => {
    const actor = { name: id, isDead: false, isPaused: false };
    const daemon = new ShardDaemon({ id, actor, scheduler, database, rules: RULES });
    daemons.push(daemon);
    scheduler.after(0, "start", () => void daemon.run(), { actor });
  };
  const isEven = (): boolean => {
    const held = [...database.sessions].map((session) => database.locks.filter((holder) => holder === session).length);
    const led = held.reduce((sum, shards) => sum + shards, 0);
    return held.length === daemons.length && led === SHARDS && Math.max(...held) - Math.min(...held) <= 1;
  };
  const untilEven = (): Promise<unknown> => scheduler.run(scheduler.now + END_MS, isEven);

  for (let nth = 0; nth < others; nth++) start(`first-${nth}-${seed}`);
  await untilEven();
  const { moves } = invariants;
  const from = scheduler.now;
  start(`last-${seed}`);
  await untilEven();
  return { ms: isEven() ? scheduler.now - from : null, moves: invariants.moves - moves };
}
