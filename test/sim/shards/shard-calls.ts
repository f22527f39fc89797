import type { Draws } from "../kernel/draws.ts";
import type { Scheduler } from "../kernel/scheduler.ts";
import type { ShardDaemon } from "./shard-daemon.ts";
import type { ShardDatabase } from "./shard-database.ts";
import type { ShardInvariants } from "./shard-invariants.ts";
import { CALL_MS, type ShardRules } from "./shard-rules.ts";

const ATTEMPT_MS = 5000;
const AGAIN_MS = 100;

interface CallParts {
  readonly scheduler: Scheduler;
  readonly draws: Draws;
  readonly database: ShardDatabase;
  readonly invariants: ShardInvariants;
  readonly rules: ShardRules;
  /** The daemons that live, by their id. */
  readonly daemons: ReadonlyMap<string, ShardDaemon>;
}

/** Clients, which call any daemon, and what a daemon does with their calls. */
export class ShardCalls {
  readonly #parts: CallParts;
  answered = 0;
  /** When calls began that nobody answered. */
  readonly lost: number[] = [];

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** A call of a user: another daemon is tried when one does not answer. */
  async call(shard: number): Promise<void> {
    const { scheduler, draws, daemons } = this.#parts;
    const began = scheduler.now;
    while (scheduler.now - began < CALL_MS) {
      const live = [...daemons.values()];
      const follower = live.length === 0 ? null : draws.pick("follower", live);
      if (follower !== null && (await this.#within(ATTEMPT_MS, () => this.#forward(follower, shard)))) {
        this.answered++;
        return;
      }
      await scheduler.wait(AGAIN_MS, "call again");
    }
    this.lost.push(began);
  }

  /** At a follower: who leads, and the way there and back. */
  async #forward(follower: ShardDaemon, shard: number): Promise<boolean> {
    const { daemons, rules } = this.#parts;
    await this.#moveTo(follower);
    const leader = daemons.get((await follower.leaderOf(shard)) ?? "");
    const isAnswered = leader !== undefined && (await this.#serve(leader, shard));
    await this.#moveTo(follower);
    if (!isAnswered && rules.readsAgain.afterRefusal) follower.forgetTable();
    return isAnswered;
  }

  /** At the daemon that may lead. False: it refuses. */
  async #serve(leader: ShardDaemon, shard: number): Promise<boolean> {
    const { scheduler, draws, database, invariants, rules } = this.#parts;
    const { id, actor } = leader.parts;
    await this.#moveTo(leader);
    const epoch = leader.epochOf(shard);
    if (epoch === null) return false;
    await scheduler.as(actor, () => scheduler.wait(draws.integer("work", 1, 1500), "work"));
    if (!rules.answersAfterCommit) {
      invariants.answered(shard, id);
      return true;
    }
    return database.ask(actor, "write", () => {
      const isWritten = database.write(id, { shard, epoch });
      if (isWritten) invariants.answered(shard, id);
      return isWritten;
    });
  }

  /** A message to a daemon: what follows happens there, and waits while it is frozen. */
  #moveTo({ parts: { actor } }: ShardDaemon): Promise<void> {
    const { scheduler, draws } = this.#parts;
    return new Promise((resolve) => {
      scheduler.after(draws.integer("hop", 1, 10), "hop", resolve, { actor });
    });
  }

  #within(ms: number, work: () => Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      this.#parts.scheduler.after(ms, "no answer", () => resolve(false), { actor: null });
      void work().then(resolve);
    });
  }
}
