import type { Draws } from "./kernel/draws.ts";
import { type Command, type Event, HORIZON_MS, type Trouble } from "./plan-events.ts";

/** What a story is told with: its user, who is awake, and times of it. */
interface Told {
  readonly user: string;
  /** Milliseconds from the story's begin, up to `to`. */
  readonly within: (from: number, to: number) => number;
}

/** Milliseconds from the begin, and what happens. A number after it: at this change of an engine from then on. */
type Happening = readonly [at: number, does: Command | Trouble, change?: number];

/** Without engines at the begin. */
const NEW_USER = "dora";
const NEW_USERS = [NEW_USER, "emil", "finn", "gus", "hal"];

/** Events that need each other. Chance alone seldom puts them together. */
const STORIES: readonly ((told: Told) => readonly Happening[])[] = [
  // The record of a crash arrives when the engine runs again.
  ({ user, within }) => [
    [0, { kind: "change is late", ms: within(3000, 8000) }],
    [0, { kind: "engine crashes", user }],
    [within(10, 2000), { kind: "start", user }],
    [within(2000, 3000), { kind: "restart", user }],
  ],
  // The next daemon cannot tell whether an engine that was going to sleep runs.
  ({ user, within }) => [
    [0, { kind: "daemon dies", ms: 0 }, 1],
    [0, { kind: "processes are unknown", ms: 6000, share: 1 }],
    [0, { kind: "sleep", user }],
    [within(1200, 4000), { kind: "start", user }],
  ],
  // The next daemon cannot tell at first which engines run.
  ({ within }) => [
    [0, { kind: "processes are unknown", ms: within(2000, 6000), share: 1 }],
    [10, { kind: "daemon dies", ms: 0 }],
  ],
  // The daemon dies while an engine boots, which then says nothing.
  ({ user }) => [
    [-1000, { kind: "stop", user }],
    [0, { kind: "boots are bad", ms: 4000, share: 1 }],
    [0, { kind: "daemon dies", ms: 0 }, 2],
    [0, { kind: "start", user }],
  ],
  // The record of a crash is committed without an answer, and a start comes while the engine is revived.
  ({ user, within }) => [
    [0, { kind: "postgres is away", ms: within(2000, 6000) }, 1],
    [0, { kind: "engine crashes", user }],
    [within(0, 8000), { kind: "start", user }],
  ],
  // A stop comes while the engine starts.
  ({ user, within }) => [
    [-1000, { kind: "stop", user }],
    [0, { kind: "start", user }],
    [within(0, 500), { kind: "stop", user }],
  ],
  // The same before the answer of the claim.
  ({ user, within }) => [
    [-1000, { kind: "stop", user }],
    [0, { kind: "answer is late", ms: within(500, 3000) }, 1],
    [0, { kind: "start", user }],
    [within(100, 600), { kind: "stop", user }],
  ],
  // The claim of a start is committed without an answer.
  ({ user, within }) => [
    [-1000, { kind: "stop", user }],
    [0, { kind: "answer is lost" }, within(1, 4)],
    [0, { kind: "start", user }],
  ],
  // Two starts at once.
  ({ user, within }) => [
    [-1000, { kind: "stop", user }],
    [0, { kind: "change is late", ms: within(500, 3000) }],
    [0, { kind: "start", user }],
    [within(0, 600), { kind: "start", user }],
  ],
  // The database is away when an engine has fallen asleep, or before.
  ({ user, within }) => [
    [0, { kind: "postgres is away", ms: within(0, 9000) }, 1],
    [0, { kind: "sleep", user }],
  ],
  ({ user, within }) => [
    [within(2, 150), { kind: "postgres is away", ms: within(4000, 9000) }],
    [0, { kind: "sleep", user }],
  ],
  // The daemon dies while an engine falls asleep.
  ({ user, within }) => [
    [0, { kind: "sleep", user }],
    [within(2, 200), { kind: "daemon dies", ms: 0 }],
    [within(1500, 4000), { kind: "turn", user, ms: 100 }],
  ],
  // A stop comes when an engine has fallen asleep and its daemon does not know yet.
  ({ user, within }) => [
    [0, { kind: "answer is late", ms: within(4000, 9000) }, 2],
    [0, { kind: "sleep", user }],
    [within(300, 1000), { kind: "stop", user }],
  ],
  // A call cannot wake its engine.
  ({ user, within }) => [
    [0, { kind: "sleep", user }],
    [1000, { kind: "memory is full", ms: within(16_000, 20_000) }],
    [within(1100, 2000), { kind: "turn", user, ms: 100 }],
  ],
  // The daemon dies while it provisions.
  ({ within }) => [
    [0, { kind: "daemon dies", ms: 0 }, within(1, 4)],
    [0, { kind: "admit", user: NEW_USER }],
    [within(3000, 6000), { kind: "admit", user: NEW_USER }],
  ],
  // An answer of a provision is lost.
  ({ within }) => [
    [0, { kind: "answer is lost" }, within(1, 4)],
    [0, { kind: "admit", user: NEW_USER }],
  ],
  // Another session takes the same user id.
  () => [
    [0, { kind: "statements race", ms: 3000, share: 0.5 }],
    [0, { kind: "admit", user: NEW_USER }],
  ],
];

/** Of a host with two daemons. */
const OF_REPLICAS: typeof STORIES = [
  // The leader is frozen in the middle of a provision or a start, until another daemon leads.
  ({ within }) => [
    ...NEW_USERS.map((user): Happening => [within(0, 200), { kind: "admit", user }]),
    [within(5, 400), { kind: "daemon freezes", ms: within(9000, 15_000) }],
  ],
  ({ user, within }) => [
    [-1000, { kind: "stop", user }],
    [0, { kind: "daemon freezes", ms: within(9000, 15_000) }, within(1, 3)],
    [0, { kind: "start", user }],
  ],
];

export function storyEvents(
  draws: Draws,
  { user, hasReplicas }: { readonly user: string; readonly hasReplicas: boolean },
): readonly Event[] {
  const begin = draws.integer("story time", 4000, HORIZON_MS);
  const within = (from: number, to: number) => draws.integer("story ms", from, to);
  const stories = hasReplicas && draws.chance("story of replicas", 0.3) ? OF_REPLICAS : STORIES;
  const told = draws.pick("story", stories)({ user, within });
  return [
    { at: begin - 3000, does: { kind: "admit", user } },
    ...told.map(([ms, does, change]) => ({ at: begin + ms, does, ...(change !== undefined && { change }) })),
  ];
}
