import type { Draws } from "./kernel/draws.ts";
import { type Event, HORIZON_MS, type Trouble, USERS } from "./plan-events.ts";

/** After which PostgreSQL has ended the session of a frozen leader. */
const LEAD_LOST_MS = 6500;

type Kind = Trouble["kind"];
type Weighted = readonly (readonly [Kind, number])[];

const OF_ENGINES: Weighted = [
  ["engine crashes", 8],
  ["engine out of memory", 2],
  ["engine hangs", 4],
  ["engine is unkillable", 2],
  ["boots are bad", 7],
  ["launches fail", 2],
  ["processes are unknown", 2],
  ["engines are deaf", 2],
];
const OF_DATABASE: Weighted = [
  ["postgres freezes", 3],
  ["postgres is away", 5],
  ["answer is lost", 9],
  ["change is late", 4],
  ["answer is late", 4],
  ["answers are lost", 3],
  ["statements are late", 3],
  ["statements race", 2],
];
const OF_DAEMONS: Weighted = [
  ["daemon dies", 8],
  ["daemon stops", 2],
  ["daemon freezes", 5],
];
const OF_MACHINE: Weighted = [
  ["disk is full", 1],
  ["memory is full", 1],
  ["clock is set", 1],
];
const ALL: Weighted = [...OF_ENGINES, ...OF_DATABASE, ...OF_DAEMONS, ...OF_MACHINE];

const DATABASE_KINDS: ReadonlySet<string> = new Set(OF_DATABASE.map(([kind]) => kind));
const KINDS: ReadonlySet<string> = new Set(ALL.map(([kind]) => kind));

/** Whether it is a command, or a trouble of the database. */
export const sparesEngines = ({ does: { kind } }: Event): boolean => DATABASE_KINDS.has(kind) || !KINDS.has(kind);

/** Troubles that come in the middle of an operation as well. */
const SUDDEN: ReadonlySet<Kind> = new Set([
  "daemon dies",
  "daemon freezes",
  "postgres freezes",
  "postgres is away",
  "engine crashes",
  "engine hangs",
  "engine is unkillable",
  "answer is lost",
  "answer is late",
  "change is late",
]);
/** Of a change alone: other answers follow nothing. */
const OF_CHANGES: ReadonlySet<Kind> = new Set(["answer is lost", "answer is late"]);

/** Of the changes of an engine: a start makes four. */
const MOST_CHANGES = 6;

/** The kinds of a run are few, so that they meet each other. In some runs only the database fails. */
export function troubleKinds(draws: Draws, hasReplicas: boolean): readonly Kind[] {
  const of = draws.weighted("plan troubles of", [
    [ALL, 3],
    [OF_DATABASE, 1],
  ]);
  const kinds = Array.from({ length: draws.integer("plan kinds", 1, 5) }, () => draws.weighted("plan kind", of));
  // A leader that is frozen, and thawed when another one leads.
  if (of === ALL && hasReplicas && draws.chance("plan thawed leader", 0.5)) kinds.push("daemon freezes");
  return kinds;
}

export function troubleEvents(
  draws: Draws,
  {
    kinds,
    count,
    pace,
    commands,
  }: {
    readonly kinds: readonly Kind[];
    readonly count: number;
    readonly pace: number;
    readonly commands: readonly Event[];
  },
): readonly Event[] {
  const events: Event[] = [];
  for (let left = count; left > 0; left--) {
    const does = troubleOf(draws, draws.pick("plan trouble", kinds));
    const at = troubleTime(draws, [...commands, ...events], pace);
    const isSudden = SUDDEN.has(does.kind) && (OF_CHANGES.has(does.kind) || draws.chance("plan sudden", 0.6));
    events.push(isSudden ? { at, change: draws.integer("plan change", 1, MOST_CHANGES), does } : { at, does });
  }
  return events;
}

/** Every other one while a command is being carried out, or soon after another trouble. */
function troubleTime(draws: Draws, events: readonly Event[], pace: number): number {
  const meets = draws.chance("plan meets", 0.5) ? draws.pick("plan met", events)?.at : undefined;
  return meets === undefined
    ? draws.integer("plan trouble time", 1000, HORIZON_MS)
    : meets + draws.integer("plan after", 0, pace * 4);
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
    case "answer is late":
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
