import { RULES, idsOf, type ShardRules } from "./shard-rules.ts";

export interface ShardMutation {
  readonly name: string;
  readonly rules: ShardRules;
  /** The invariants of which it breaks one. */
  readonly breaks: readonly string[];
}

const SILENT_MS = 6000;
const led = ["each shard is led in time", "each shard is led at rest", "a free shard is taken at once"];
const even = ["the division is even at rest"];

/** Bugs of the design. The first two are rules that the page had before it was simulated. */
export const SHARD_MUTATIONS: readonly ShardMutation[] = [
  {
    name: "each daemon takes the next whole number above its share",
    rules: { ...RULES, part: (_, live, shards) => Math.ceil(shards / live.length) },
    breaks: even,
  },
  {
    name: "a daemon lives until its heartbeat is old",
    rules: {
      ...RULES,
      members: (replicas) => idsOf(replicas.filter(({ silentMs }) => silentMs < SILENT_MS)).toSorted(),
    },
    breaks: led,
  },
  {
    name: "the order of daemons is that of their heartbeats",
    rules: {
      ...RULES,
      members: (replicas) =>
        idsOf(replicas.filter(({ isOpen }) => isOpen).toSorted((one, other) => one.silentMs - other.silentMs)),
    },
    breaks: [...even, ...led, "moves are bounded"],
  },
  {
    name: "PostgreSQL does not fence",
    rules: { ...RULES, fence: () => true },
    breaks: ["one daemon writes a shard"],
  },
  {
    name: "the next leader keeps the epoch",
    rules: { ...RULES, nextEpoch: (epoch) => Math.max(1, epoch) },
    breaks: ["one daemon writes a shard"],
  },
  {
    name: "an answer does not wait for the fence",
    rules: { ...RULES, answersAfterCommit: false },
    breaks: ["the leader answers"],
  },
  {
    name: "shards stay with a daemon whose session ended",
    rules: { ...RULES, dropsWithSession: false },
    breaks: [...led, ...even, "calls are answered at rest"],
  },
  { name: "nothing is given back", rules: { ...RULES, givesBack: () => false }, breaks: even },
  {
    name: "one shard too many is given back",
    rules: { ...RULES, givesBack: (held, part) => held >= part },
    breaks: [...even, ...led, "moves are bounded"],
  },
  {
    name: "each share is rounded down",
    rules: { ...RULES, part: (_, live, shards) => Math.floor(shards / live.length) },
    breaks: led,
  },
  {
    name: "a daemon without a share takes what is free",
    rules: { ...RULES, part: (id, live, shards) => RULES.part(id, live, shards) + 1 },
    breaks: [...even, "moves are bounded"],
  },
  {
    name: "a follower reads once who leads",
    rules: { ...RULES, readsAgain: { afterRefusal: false, afterNotify: false } },
    breaks: ["calls are answered at rest"],
  },
];
