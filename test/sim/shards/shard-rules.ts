import { createHash } from "node:crypto";

/** Of the page "A leader for each shard, designed" in docs/scale.md, with fewer shards. */
export const TICK_MS = 2000;
/** PostgreSQL ends a session from which it hears nothing. */
export const SESSION_MS = 6000;
/** A daemon believes in its locks for so long after an answer on their session: shorter than the session lives. */
export const FRESH_MS = 4000;
export const DRAIN_MS = 1000;
export const RELEASE_EVERY_MS = 1000;
export const CALL_MS = 30_000;

/** A daemon's row of `replicas`, as another one reads it. */
export interface Replica {
  readonly id: string;
  /** Its session, which holds its locks, is open. */
  readonly isOpen: boolean;
  /** Milliseconds since its last heartbeat. */
  readonly silentMs: number;
}

/** What the daemons and PostgreSQL decide by. A mutation replaces one of them. */
export interface ShardRules {
  /** Those that live, in an order on which all agree. */
  readonly members: (replicas: readonly Replica[]) => readonly string[];
  /** How many shards a daemon holds at most. */
  readonly part: (id: string, live: readonly string[], shards: number) => number;
  /** Whether a daemon that holds so many gives one back. */
  readonly givesBack: (held: number, part: number) => boolean;
  readonly nextEpoch: (epoch: number) => number;
  /** Whether PostgreSQL lets a statement of an epoch change a shard. */
  readonly fence: (given: number, current: number) => boolean;
  /** Whether a daemon begins a call of a shard that it believes to lead. */
  readonly mayServe: (sinceConfirmedMs: number) => boolean;
  /** Whether an answer waits for a statement that the fence let pass. */
  readonly answersAfterCommit: boolean;
  /** Whether the shards are given up with the session. */
  readonly dropsWithSession: boolean;
  /** When a follower reads again who leads. */
  readonly readsAgain: { readonly afterRefusal: boolean; readonly afterNotify: boolean };
}

export const RULES: ShardRules = {
  members: (replicas) => idsOf(replicas.filter(({ isOpen }) => isOpen)).toSorted(),
  part: (id, live, shards) => Math.floor(shards / live.length) + (live.indexOf(id) < shards % live.length ? 1 : 0),
  givesBack: (held, part) => held > part,
  nextEpoch: (epoch) => epoch + 1,
  fence: (given, current) => given === current,
  mayServe: (sinceConfirmedMs) => sinceConfirmedMs < FRESH_MS,
  answersAfterCommit: true,
  dropsWithSession: true,
  readsAgain: { afterRefusal: true, afterNotify: true },
};

export const idsOf = (replicas: readonly Replica[]): readonly string[] => replicas.map(({ id }) => id);

/** Rendezvous hash: the order in which a daemon prefers shards. */
export function preferredShards(id: string, shards: number): readonly number[] {
  const weights = Array.from({ length: shards }, (_, shard) =>
    createHash("sha256").update(`${shard} ${id}`).digest("hex"),
  );
  return weights
    .map((_, shard) => shard)
    .toSorted((one, other) => ((weights[one] ?? "") > (weights[other] ?? "") ? -1 : 1));
}
