import type { Actor, Scheduler } from "../kernel/scheduler.ts";
import { SessionEnded, type ShardDatabase, type ShardSession } from "./shard-database.ts";
import { DRAIN_MS, RELEASE_EVERY_MS, type ShardRules, TICK_MS, preferredShards } from "./shard-rules.ts";

export interface ShardDaemonParts {
  readonly id: string;
  readonly actor: Actor;
  readonly scheduler: Scheduler;
  readonly database: ShardDatabase;
  readonly rules: ShardRules;
}

/** One life of a daemon: it takes its part of the shards, gives back what is more, and knows what it leads. */
export class ShardDaemon {
  readonly parts: ShardDaemonParts;
  /** The epochs of the shards that it believes to lead. */
  readonly #held = new Map<number, number>();
  readonly #draining = new Set<number>();
  readonly #preferred: readonly number[];
  #session: ShardSession | null = null;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #releasedAt = Number.NEGATIVE_INFINITY;
  /** Something changed since it began to look. */
  #isStale = false;
  #wake: () => void = () => undefined;
  /** Who leads each shard, as it last read. Null: to be read again. */
  #table: readonly (string | null)[] | null = null;

  constructor(parts: ShardDaemonParts) {
    this.parts = parts;
    this.#preferred = preferredShards(parts.id, parts.database.leaders.length);
  }

  get session(): ShardSession | null {
    return this.#session;
  }

  /** The epoch under which a call of a shard begins; null when this daemon does not lead it. */
  epochOf(shard: number): number | null {
    const { rules, scheduler } = this.parts;
    const mayServe = !this.#draining.has(shard) && rules.mayServe(scheduler.now - this.#confirmedAt);
    return mayServe ? (this.#held.get(shard) ?? null) : null;
  }

  /** Who leads a shard, by a table that is read again after each change that it hears of. */
  async leaderOf(shard: number): Promise<string | null> {
    const { database, actor } = this.parts;
    this.#table ??= await database.ask(actor, "read leaders", () => database.leaders.map(({ id }) => id));
    return this.#table[shard] ?? null;
  }

  forgetTable(): void {
    this.#table = null;
  }

  async run(): Promise<never> {
    for (;;) {
      try {
        this.#session ??= await this.#connect();
        await this.#divide(this.#session);
      } catch (error) {
        if (!(error instanceof SessionEnded)) throw error;
        this.#session = null;
        if (this.parts.rules.dropsWithSession) this.#held.clear();
      }
      await this.#pause();
    }
  }

  #connect(): Promise<ShardSession> {
    const { id, actor, database, rules } = this.parts;
    return database.connect(id, actor, () => {
      if (rules.readsAgain.afterNotify) this.#table = null;
      this.#lookAgain();
    });
  }

  async #divide(session: ShardSession): Promise<void> {
    const { id, database, rules, scheduler } = this.parts;
    const sentAt = scheduler.now;
    this.#isStale = false;
    const { live, free } = await database.askOn(session, "heartbeat", () => ({
      live: rules.members(database.beat(session)),
      free: new Set(database.locks.flatMap((holder, shard) => (holder === null ? [shard] : []))),
    }));
    this.#confirmedAt = sentAt;
    const part = rules.part(id, live, database.leaders.length);
    for (const shard of this.#preferred.filter((one) => free.has(one))) {
      if (this.#held.size >= part) break;
      const epoch = await database.askOn(session, "lock", () => database.tryLead(session, shard));
      if (epoch !== null) this.#held.set(shard, epoch);
    }
    if (rules.givesBack(this.#held.size - this.#draining.size, part)) this.#release(session);
  }

  /** One each second, the least preferred first: no new calls, a time for those in progress, unlock. */
  #release(session: ShardSession): void {
    const { database, scheduler } = this.parts;
    if (scheduler.now - this.#releasedAt < RELEASE_EVERY_MS) return;
    const shard = this.#preferred.findLast((one) => this.#held.has(one) && !this.#draining.has(one));
    if (shard === undefined) return;
    this.#releasedAt = scheduler.now;
    this.#draining.add(shard);
    const unlock = async (): Promise<void> => {
      this.#draining.delete(shard);
      if (this.#session !== session) return;
      this.#held.delete(shard);
      // A session that has ended holds no lock.
      await database.askOn(session, "unlock", () => database.unlock(session, shard)).catch(() => undefined);
    };
    scheduler.after(DRAIN_MS, "drained", () => void unlock());
    scheduler.after(RELEASE_EVERY_MS, "release the next", () => this.#lookAgain());
  }

  #lookAgain(): void {
    this.#isStale = true;
    this.#wake();
  }

  /** Until the next heartbeat, or a change of who leads or lives. */
  #pause(): Promise<void> {
    if (this.#isStale) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.parts.scheduler.after(TICK_MS, "tick", resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
