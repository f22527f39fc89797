import { Draws } from "../kernel/draws.ts";
import { Scheduler } from "../kernel/scheduler.ts";
import { ShardCalls } from "./shard-calls.ts";
import { ShardDaemon } from "./shard-daemon.ts";
import { ShardDatabase } from "./shard-database.ts";
import { ShardInvariants, type ShardViolation } from "./shard-invariants.ts";
import { CALL_MS, RULES, type ShardRules } from "./shard-rules.ts";

const TROUBLE_MS = 60_000;
/** Longer than a session, two heartbeats, and a second for each shard. */
const REST_MS = 30_000;
const CALL_EVERY_MS = 400;
const MAX_DAEMONS = 5;

export interface ShardRun {
  readonly violation: ShardViolation | null;
  readonly answered: number;
  readonly moves: number;
  readonly explained: number;
}

/** A run is a seed: daemons come, die, freeze and thaw, and lose their sessions; then nothing happens. */
export async function simulateShards(seed: number, rules: ShardRules = RULES, shards = 16): Promise<ShardRun> {
  const draws = new Draws(seed);
  const scheduler = new Scheduler(draws);
  const invariants = new ShardInvariants();
  const database = new ShardDatabase(shards, { scheduler, draws, rules, observer: invariants });
  const daemons = new Map<string, ShardDaemon>();
  const calls = new ShardCalls({ scheduler, draws, database, invariants, rules, daemons });

  const start = (): void => {
    const id = `${draws.integer("id", 0, 999)}-${daemons.size}-${scheduler.now}`;
    const actor = { name: id, isDead: false, isPaused: false };
    const daemon = new ShardDaemon({ id, actor, scheduler, database, rules });
    daemons.set(id, daemon);
    scheduler.after(0, "start", () => void daemon.run(), { actor });
  };
  const troubles = new Troubles({ draws, scheduler, database, invariants, daemons, start });
  for (let count = draws.integer("daemons", 1, 4); count > 0; count--)
    scheduler.after(draws.pick("first", [0, 50, 3000]), "start", start, { actor: null });
  for (let count = draws.integer("troubles", 0, 6); count > 0; count--)
    scheduler.after(draws.integer("trouble at", 5000, TROUBLE_MS), "trouble", () => troubles.next(), { actor: null });
  const call = (): void => {
    void calls.call(draws.integer("shard", 0, shards - 1));
    scheduler.after(CALL_EVERY_MS, "call", call, { actor: null });
  };
  scheduler.after(0, "call", call, { actor: null });
  scheduler.onStep = () => invariants.step(scheduler.now, daemons.values(), database);

  await scheduler.run(TROUBLE_MS, () => invariants.violation !== null);
  troubles.end();
  const restAt = scheduler.now + REST_MS;
  await scheduler.run(restAt, () => invariants.violation !== null);
  if (invariants.violation === null) invariants.atRest(database);
  await scheduler.run(restAt + CALL_MS, () => invariants.violation !== null);
  if (invariants.violation === null) invariants.atRest(database);
  const lost = calls.lost.filter((began) => began > invariants.troubledAt);
  if (lost.length > 0) invariants.fail("calls are answered at rest", `${lost.length} calls`);
  const { violation, moves, explained } = invariants;
  return { violation, answered: calls.answered, moves, explained };
}

interface TroubleParts {
  readonly draws: Draws;
  readonly scheduler: Scheduler;
  readonly database: ShardDatabase;
  readonly invariants: ShardInvariants;
  readonly daemons: Map<string, ShardDaemon>;
  readonly start: () => void;
}

/** What happens to daemons. One that is well always remains. */
class Troubles {
  readonly #parts: TroubleParts;

  constructor(parts: TroubleParts) {
    this.#parts = parts;
  }

  next(): void {
    const { draws, scheduler, database, invariants, daemons, start } = this.#parts;
    invariants.troubledAt = scheduler.now;
    const well = [...daemons.values()].filter(({ parts: { actor } }) => !actor.isPaused);
    const kind = draws.pick("kind", ["join", "die", "freeze", "freeze", "disconnect"]);
    const [daemon] = well.length > 1 ? [draws.pick("whom", well)] : [];
    if (kind === "join" || daemon === undefined) {
      if (daemons.size < MAX_DAEMONS) start();
      return;
    }
    if (kind === "die") {
      daemon.parts.actor.isDead = true;
      daemons.delete(daemon.parts.id);
    }
    if (kind === "freeze") {
      scheduler.pause(daemon.parts.actor);
      scheduler.after(draws.integer("frozen", 500, 15_000), "thaw", () => this.#thaw(daemon), { actor: null });
    } else if (daemon.session !== null) database.end(daemon.session);
  }

  /** Everybody who is frozen thaws. */
  end(): void {
    for (const daemon of this.#parts.daemons.values()) this.#thaw(daemon);
  }

  #thaw({ parts: { actor } }: ShardDaemon): void {
    const { scheduler, invariants } = this.#parts;
    if (!actor.isPaused) return;
    invariants.troubledAt = scheduler.now;
    scheduler.resume(actor);
  }
}
