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
  readonly isLive: (replica: Replica) => boolean;
  /** How many shards a daemon holds at most. `live`: the ids in the order of all daemons. */
  readonly part: (id: string, live: readonly string[], shards: number) => number;
  readonly releases: boolean;
  readonly nextEpoch: (epoch: number) => number;
  /** Whether PostgreSQL lets a statement of an epoch change a shard. */
  readonly fence: (given: number, current: number) => boolean;
  /** Whether a daemon begins a call of a shard that it believes to lead. */
  readonly mayServe: (sinceConfirmedMs: number) => boolean;
  /** Whether an answer waits for a statement that the fence let pass. */
  readonly answersAfterCommit: boolean;
  /** Whether the shards are given up with the session. */
  readonly dropsWithSession: boolean;
  /** Whether a refused follower reads again who leads. */
  readonly readsAfterRefusal: boolean;
}

export const RULES: ShardRules = {
  isLive: ({ isOpen }) => isOpen,
  part: (id, live, shards) => Math.floor(shards / live.length) + (live.indexOf(id) < shards % live.length ? 1 : 0),
  releases: true,
  nextEpoch: (epoch) => epoch + 1,
  fence: (given, current) => given === current,
  mayServe: (sinceConfirmedMs) => sinceConfirmedMs < FRESH_MS,
  answersAfterCommit: true,
  dropsWithSession: true,
  readsAfterRefusal: true,
};

/** Rendezvous hash: the order in which a daemon prefers shards. */
export function preferredShards(id: string, shards: number): readonly number[] {
  const weights = Array.from({ length: shards }, (_, shard) => createHash("sha256").update(`${shard} ${id}`).digest("hex"));
  return weights.map((_, shard) => shard).toSorted((one, other) => ((weights[one] ?? "") > (weights[other] ?? "") ? -1 : 1));
}
