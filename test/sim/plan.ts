import type { Setup } from "./daemon.ts";
import type { Draws } from "./kernel/draws.ts";

/** What a client asks of the fleet. */
export type Command =
  | {
      readonly kind: "admit" | "provision" | "start" | "stop" | "kill" | "sleep" | "destroy" | "restart";
      readonly user: string;
    }
  | { readonly kind: "destroy keeping data"; readonly user: string }
  /** A call at the engine's address that runs a turn. */
  | { readonly kind: "turn"; readonly user: string; readonly ms: number };

/** What goes wrong. */
export type Trouble =
  | { readonly kind: "engine crashes" | "engine out of memory"; readonly user: string }
  | { readonly kind: "engine hangs" | "engine is unkillable"; readonly user: string; readonly ms: number }
  | { readonly kind: "daemon dies"; readonly ms: number }
  | { readonly kind: "daemon stops"; readonly ms: number }
  | { readonly kind: "daemon freezes"; readonly ms: number }
  | { readonly kind: "postgres freezes" | "postgres is away"; readonly ms: number }
  /** Of one change of an engine. */
  | { readonly kind: "answer is lost" }
  | { readonly kind: "change is late"; readonly ms: number }
  | {
      readonly kind: "answers are lost" | "statements are late" | "statements race";
      readonly ms: number;
      readonly share: number;
    }
  | {
      readonly kind: "boots are bad" | "launches fail" | "processes are unknown" | "engines are deaf";
      readonly ms: number;
      readonly share: number;
    }
  | { readonly kind: "disk is full" | "memory is full"; readonly ms: number }
  | { readonly kind: "clock is set"; readonly ms: number };

/** Something at a time of the run. */
export interface Event {
  /** Milliseconds since the start. */
  readonly at: number;
  /** Then at the change of an engine with this number: in the middle of what changes it. */
  readonly change?: number;
  readonly does: Command | Trouble;
}

export interface Plan {
  readonly seed: number;
  readonly setup: Setup;
  /** Seconds after which an idle engine sleeps. */
  readonly idleStopS: number;
  readonly drainS: number;
  /** Milliseconds that a slow message takes. */
  readonly pace: number;
  readonly events: readonly Event[];
}

const USERS = ["ann", "ben", "cleo"] as const;
const HORIZON_MS = 30_000;
/** After which PostgreSQL has ended the session of a frozen leader. */
const LEAD_LOST_MS = 6500;

const COMMANDS = [
  ["admit", 9],
  ["provision", 2],
  ["turn", 12],
  ["start", 4],
  ["stop", 3],
  ["kill", 2],
  ["sleep", 5],
  ["restart", 2],
  ["destroy", 2],
  ["destroy keeping data", 2],
] as const;

const TROUBLES = [
  ["engine crashes", 8],
  ["engine out of memory", 2],
  ["engine hangs", 4],
  ["engine is unkillable", 2],
  ["daemon dies", 6],
  ["daemon stops", 2],
  ["daemon freezes", 4],
  ["postgres freezes", 3],
  ["postgres is away", 4],
  ["answer is lost", 5],
  ["change is late", 4],
  ["answers are lost", 4],
  ["statements are late", 3],
  ["statements race", 1],
  ["boots are bad", 4],
  ["launches fail", 2],
  ["processes are unknown", 2],
  ["engines are deaf", 2],
  ["disk is full", 1],
  ["memory is full", 1],
  ["clock is set", 1],
] as const;

export const isTrouble = (kind: string): boolean => TROUBLES.some(([trouble]) => trouble === kind);

/** The plan that follows from a seed. */
export function makePlan(draws: Draws): Plan {
  const hasReplicas = draws.chance("plan replicas", 0.4);
  const setup: Setup = {
    ports: 12,
    maxAwake: draws.weighted("plan max awake", [
      [null, 3],
      [2, 2],
    ]),
    bootConcurrency: draws.integer("plan boot concurrency", 1, 3),
    healthIntervalS: draws.integer("plan health interval", 1, 4),
    hasReplicas,
    // Each replica would have a store of its own.
    keepsSockets: !hasReplicas && draws.chance("plan kept sockets", 0.4),
    spares: draws.pick("plan spares", [0, 0, 1, 2]),
  };
  const commands = draws.integer("plan commands", 8, 30);
  // One run in ten has no trouble; the others have few kinds, so that they meet each other.
  const troubles = draws.chance("plan calm", 0.1) ? 0 : draws.integer("plan troubles", 1, 8);
  const pace = draws.pick("plan pace", [2, 20, 200]);
  const kinds: Trouble["kind"][] = Array.from({ length: draws.integer("plan kinds", 1, 4) }, () =>
    draws.weighted("plan kind", TROUBLES),
  );
  // A leader that is frozen, and thawed when another one leads.
  if (hasReplicas && draws.chance("plan thawed leader", 0.5)) kinds.push("daemon freezes");
  const users = USERS.slice(0, draws.integer("plan users", 1, USERS.length));
  const asked = [
    // Most runs begin with engines.
    ...users
      .filter(() => draws.chance("plan first engine", 0.8))
      .map((user) => ({
        at: draws.integer("plan first time", 0, 3000),
        does: { kind: "admit" as const, user },
      })),
    ...commandEvents(draws, users, commands),
  ];
  const wrong: Event[] = [];
  for (let left = troubles; left > 0; left--)
    wrong.push(troubleEvent(draws, kinds, () => troubleTime(draws, [...asked, ...wrong], pace)));
  return {
    seed: draws.seed,
    setup,
    idleStopS: draws.pick("plan idle stop", [0, 2, 10, 30]),
    drainS: draws.pick("plan drain", [0, 2]),
    pace,
    events: [...asked, ...wrong].toSorted((one, other) => one.at - other.at),
  };
}

/** Troubles that come in the middle of an operation as well. */
const SUDDEN: ReadonlySet<Trouble["kind"]> = new Set([
  "daemon dies",
  "daemon freezes",
  "postgres freezes",
  "postgres is away",
  "engine crashes",
  "engine hangs",
  "engine is unkillable",
  "answer is lost",
  "change is late",
]);

/** Of the changes of an engine: a start makes four. */
const MOST_CHANGES = 6;

function troubleEvent(draws: Draws, kinds: readonly Trouble["kind"][], time: () => number): Event {
  const does = troubleOf(draws, draws.pick("plan trouble", kinds));
  const at = time();
  const isSudden = SUDDEN.has(does.kind) && (does.kind === "answer is lost" || draws.chance("plan sudden", 0.6));
  return isSudden ? { at, change: draws.integer("plan change", 1, MOST_CHANGES), does } : { at, does };
}

/** Some come soon after another one of the same user. */
function commandEvents(draws: Draws, users: readonly string[], count: number): readonly Event[] {
  const events: { at: number; does: Command }[] = [];
  for (let left = count; left > 0; left--) {
    const does = commandOf(draws, users);
    const before = draws.chance("plan soon after", 0.4) ? events.at(-1) : undefined;
    if (before === undefined) events.push({ at: timeOf(draws), does });
    else
      events.push({
        at: before.at + draws.integer("plan after ms", 0, 800),
        does: { ...does, user: before.does.user },
      });
  }
  return events;
}

const timeOf = (draws: Draws): number => draws.integer("plan time", 1000, HORIZON_MS);

/** Every other one while a command is being carried out, or soon after another trouble. */
function troubleTime(draws: Draws, commands: readonly { readonly at: number }[], pace: number): number {
  const meets = draws.chance("plan meets", 0.5) ? draws.pick("plan met", commands)?.at : undefined;
  return meets === undefined ? timeOf(draws) : meets + draws.integer("plan after", 0, pace * 4);
}

function commandOf(draws: Draws, users: readonly string[]): Command {
  const kind = draws.weighted("plan command", COMMANDS);
  const user = draws.pick("plan user", users);
  return kind === "turn" ? { kind, user, ms: draws.integer("plan turn ms", 1, 6000) } : { kind, user };
}

function troubleOf(draws: Draws, kind: Trouble["kind"]): Trouble {
  const user = draws.pick("plan trouble user", USERS);
  const ms = draws.integer("plan trouble ms", 200, 20_000);
  switch (kind) {
    case "engine crashes":
    case "engine out of memory":
      return { kind, user };
    case "engine hangs":
    case "engine is unkillable":
      return { kind, user, ms };
    case "answer is lost":
      return { kind };
    case "change is late":
      return { kind, ms: draws.integer("plan late ms", 500, 10_000) };
    case "daemon freezes":
      // Mostly until another one leads.
      return { kind, ms: draws.chance("plan long freeze", 0.7) ? ms + LEAD_LOST_MS : ms };
    case "answers are lost":
    case "statements are late":
      return { kind, ms, share: draws.pick("plan share", [0.05, 0.3]) };
    case "statements race":
    case "boots are bad":
    case "launches fail":
    case "processes are unknown":
    case "engines are deaf":
      return { kind, ms, share: draws.pick("plan share", [0.2, 0.7]) };
    case "clock is set":
      return { kind, ms: draws.integer("plan clock ms", -120_000, 120_000) };
    default:
      return { kind, ms };
  }
}
