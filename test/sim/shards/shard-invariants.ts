import type { ShardDaemon } from "./shard-daemon.ts";
import type { ShardDatabase, ShardObserver } from "./shard-database.ts";
import { SESSION_MS, TICK_MS } from "./shard-rules.ts";

export interface ShardViolation {
  readonly invariant: string;
  readonly detail: string;
}

/** After a trouble, a shard is without a leader for at most as long as a silent session lives, and two heartbeats. */
const LED_MS = SESSION_MS + 2 * TICK_MS;

/** A heartbeat, for one whose session ended, and a statement for each shard of a part. */
const FREE_MS = TICK_MS + 1000;

/** What must hold after every step. */
export class ShardInvariants implements ShardObserver {
  violation: ShardViolation | null = null;
  moves = 0;
  /** Moves that the changes of members so far explain: the part of each that came, and what each held that went. */
  explained = 0;
  writes = 0;
  /** When something last happened to a daemon. */
  troubledAt = 0;
  readonly #leaders = new Map<number, string>();
  readonly #unledSince = new Map<number, number>();
  readonly #freeSince = new Map<number, number>();
  #allWellSince = 0;
  readonly #healthySince = new Map<ShardDaemon, number>();

  fail(invariant: string, detail: string): void {
    this.violation ??= { invariant, detail };
  }

  led(shard: number, id: string): void {
    const before = this.#leaders.get(shard);
    if (before !== id) this.moves++;
    this.#leaders.set(shard, id);
  }

  wrote(shard: number, id: string): void {
    this.writes++;
    const leader = this.#leaders.get(shard);
    if (leader !== id) this.fail("one daemon writes a shard", `${id} wrote shard ${shard}, which ${leader} leads`);
  }

  answered(shard: number, id: string): void {
    const leader = this.#leaders.get(shard);
    if (leader !== id) this.fail("the leader answers", `${id} answered for shard ${shard}, which ${leader} leads`);
  }

  came(shards: number, members: number): void {
    this.explained += Math.ceil(shards / members);
  }

  went(held: number): void {
    this.explained += held;
  }

  /** Each shard is led in time, as long as a daemon could lead it. */
  step(now: number, daemons: Iterable<ShardDaemon>, database: ShardDatabase): void {
    let healthyMs = 0;
    for (const daemon of daemons) {
      const { actor } = daemon.parts;
      if (actor.isDead || actor.isPaused) this.#healthySince.delete(daemon);
      else if (!this.#healthySince.has(daemon)) this.#healthySince.set(daemon, now);
      healthyMs = Math.max(healthyMs, now - (this.#healthySince.get(daemon) ?? now));
    }
    if ([...database.sessions].some(({ actor }) => actor.isPaused)) this.#allWellSince = now;
    for (const [shard, holder] of database.locks.entries()) {
      this.#freeStep(now, { shard, isFree: holder === null });
      if (holder !== null && !holder.actor.isDead && !holder.actor.isPaused) this.#unledSince.delete(shard);
      else if (!this.#unledSince.has(shard)) this.#unledSince.set(shard, now);
      const unledMs = now - (this.#unledSince.get(shard) ?? now);
      if (Math.min(unledMs, healthyMs, now - this.troubledAt) > LED_MS)
        this.fail("each shard is led in time", `nobody leads shard ${shard} for ${unledMs} ms`);
    }
  }

  /** Unless it is of the part of a daemon that is frozen, which PostgreSQL does not know yet. */
  #freeStep(now: number, { shard, isFree }: { readonly shard: number; readonly isFree: boolean }): void {
    if (!isFree || this.#healthySince.size === 0) this.#freeSince.delete(shard);
    else if (!this.#freeSince.has(shard)) this.#freeSince.set(shard, now);
    const freeMs = now - Math.max(this.#freeSince.get(shard) ?? now, this.#allWellSince);
    if (freeMs > FREE_MS) this.fail("a free shard is taken at once", `shard ${shard} is free for ${freeMs} ms`);
  }

  /** Long after the last trouble. */
  atRest(database: ShardDatabase): void {
    if (this.moves > this.explained)
      this.fail("moves are bounded", `${this.moves} moves, of which the changes explain ${this.explained}`);
    const counts = new Map([...database.sessions].map((session) => [session, 0]));
    for (const [shard, holder] of database.locks.entries()) {
      if (holder === null) this.fail("each shard is led at rest", `nobody leads shard ${shard}`);
      else counts.set(holder, (counts.get(holder) ?? 0) + 1);
    }
    const held = [...counts.values()];
    if (Math.max(...held) - Math.min(...held) > 1) this.fail("the division is even at rest", held.join(", "));
  }
}
