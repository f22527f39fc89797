import type { Draws } from "../kernel/draws.ts";
import type { Actor, Scheduler } from "../kernel/scheduler.ts";
import { type Replica, SESSION_MS, type ShardRules } from "./shard-rules.ts";

/** A session of one daemon: all its advisory locks. */
export interface ShardSession {
  readonly id: string;
  /** Called when a row of `shard_leaders` or `replicas` changed. */
  readonly notify: () => void;
  readonly actor: Actor;
  isOpen: boolean;
  heardAt: number;
}

interface ShardLeader {
  epoch: number;
  id: string | null;
}

export class SessionEnded extends Error {
  override readonly name = "SessionEnded";
}

/** What the invariants are told. */
export interface ShardObserver {
  led(shard: number, id: string): void;
  wrote(shard: number, id: string): void;
  /** A session began, and there are so many. */
  came(shards: number, members: number): void;
  /** A session ended, which held so many shards. */
  went(held: number): void;
}

interface DatabaseParts {
  readonly scheduler: Scheduler;
  readonly draws: Draws;
  readonly rules: ShardRules;
  readonly observer: ShardObserver;
}

/** The lock table and the few rows of PostgreSQL that the design needs. */
export class ShardDatabase {
  readonly leaders: readonly ShardLeader[];
  /** Who holds the lock of each shard. */
  readonly locks: (ShardSession | null)[];
  readonly sessions = new Set<ShardSession>();
  /** When the row of each replica was last written. */
  readonly #beats = new Map<string, number>();
  readonly #parts: DatabaseParts;

  constructor(shards: number, parts: DatabaseParts) {
    this.leaders = Array.from({ length: shards }, () => ({ epoch: 0, id: null }));
    this.locks = this.leaders.map(() => null);
    this.#parts = parts;
  }

  /** A statement: its way there, its effect at once, and the way of its answer. */
  ask<T>(actor: Actor, label: string, effect: () => T): Promise<T> {
    const { scheduler } = this.#parts;
    return new Promise((resolve, reject) => {
      const arrive = () => {
        let answer: () => void;
        try {
          const value = effect();
          answer = () => resolve(value);
        } catch (error) {
          answer = () => reject(error);
        }
        scheduler.after(this.#latency(), label, answer, { actor });
      };
      scheduler.after(this.#latency(), `${label} arrives`, arrive, { actor: null });
    });
  }

  /** The same on a session, which must be open. */
  askOn<T>(session: ShardSession, label: string, effect: () => T): Promise<T> {
    return this.ask(session.actor, label, () => {
      if (!session.isOpen) throw new SessionEnded(label);
      session.heardAt = this.#parts.scheduler.now;
      return effect();
    });
  }

  connect(id: string, actor: Actor, notify: () => void): Promise<ShardSession> {
    return this.ask(actor, "connect", () => {
      const session = { id, actor, notify, isOpen: true, heardAt: this.#parts.scheduler.now };
      this.sessions.add(session);
      this.#watch(session);
      this.#beats.set(id, session.heardAt);
      this.#parts.observer.came(this.locks.length, this.sessions.size);
      this.#notify();
      return session;
    });
  }

  /** Ends a session, and with it all its locks. */
  end(session: ShardSession): void {
    if (!session.isOpen) return;
    session.isOpen = false;
    this.sessions.delete(session);
    this.#parts.observer.went(this.locks.filter((holder) => holder === session).length);
    for (const [shard, holder] of this.locks.entries()) if (holder === session) this.locks[shard] = null;
    this.#notify();
  }

  beat({ id }: ShardSession): readonly Replica[] {
    const { now } = this.#parts.scheduler;
    this.#beats.set(id, now);
    const open = new Set([...this.sessions].map((session) => session.id));
    return [...this.#beats].map(([other, at]) => ({ id: other, isOpen: open.has(other), silentMs: now - at }));
  }

  /** `pg_try_advisory_lock` of a shard, and the epoch of its next leader. Null: another one has it. */
  tryLead(session: ShardSession, shard: number): number | null {
    if (this.locks[shard] !== null) return null;
    const leader = this.leaders[shard] as ShardLeader;
    this.locks[shard] = session;
    leader.epoch = this.#parts.rules.nextEpoch(leader.epoch);
    leader.id = session.id;
    this.#parts.observer.led(shard, session.id);
    this.#notify();
    return leader.epoch;
  }

  unlock(session: ShardSession, shard: number): void {
    if (this.locks[shard] !== session) return;
    this.locks[shard] = null;
    this.#notify();
  }

  /** A statement of a call, on any connection of a daemon: it carries the epoch under which the call began. */
  write(id: string, { shard, epoch }: { readonly shard: number; readonly epoch: number }): boolean {
    const leader = this.leaders[shard] as ShardLeader;
    if (!this.#parts.rules.fence(epoch, leader.epoch)) return false;
    this.#parts.observer.wrote(shard, id);
    return true;
  }

  #watch(session: ShardSession): void {
    const { scheduler } = this.#parts;
    const leftMs = () => session.heardAt + SESSION_MS - scheduler.now;
    const check = (): void => {
      if (!session.isOpen) return;
      if (leftMs() <= 0) this.end(session);
      else scheduler.after(leftMs(), "session timeout", check, { actor: null, isSmall: true });
    };
    check();
  }

  #notify(): void {
    for (const { actor, notify } of this.sessions)
      this.#parts.scheduler.after(this.#latency(), "notify", notify, { actor });
  }

  #latency(): number {
    return this.#parts.draws.integer("latency", 1, 20);
  }
}
