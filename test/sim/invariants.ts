import { backendPort } from "../../src/orchestrator/rules/backend-port.ts";
import { isAsleep, isTransient } from "../../src/orchestrator/rules/engine-lifecycle.ts";
import type { EngineState } from "../../src/contract/orchestrator/requests.ts";
import type { EngineRow } from "../../src/orchestrator/store/tables.ts";
import type { Clients } from "./clients.ts";
import type { Daemon } from "./daemon.ts";
import type { Fleet } from "./troubles.ts";
import { world } from "./kernel/world.ts";
import type { Plan } from "./plan.ts";
import { sparesEngines } from "./plan-troubles.ts";

/** An invariant that does not hold. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

/** How long after its deadline, and after the last trouble, an engine may stay in a transient state. */
const GRACE_MS = 60_000;

/** Tables that only the leader may change. */
const FENCED = ["engines", "ports", "hosts", "products"];

/** States of engines without a process. */
const GONE: ReadonlySet<EngineState> = new Set(["backoff", "stopped", "failed"]);

export const engineRows = (): readonly EngineRow[] =>
  world().postgres.rows("engines") as unknown as readonly EngineRow[];

/** What must hold after every step. */
export class Invariants {
  #epoch = 0;
  #since = "";
  #seen = "";
  #late: Violation | null = null;
  readonly #rows = new Map<string, string>();

  /** Every engine that there was. */
  get engines(): Iterable<string> {
    return this.#rows.keys();
  }

  constructor() {
    world().postgres.commitListeners.push(({ settings }, hasChanged) => {
      const epoch = settings.get("orchd.epoch");
      const [host] = world().postgres.rows("hosts");
      if (epoch !== undefined && Number(epoch) < Number(host?.["epoch"]) && FENCED.some(hasChanged))
        this.#late ??= { invariant: "only the leader writes", detail: `epoch ${epoch} wrote after a later one began` };
    });
  }

  /** `quietSince`: when the last trouble ended, or null. */
  check(quietSince: number | null, spares: number): Violation | null {
    const { postgres, machine } = world();
    const state = `${postgres.commits} ${machine.launches}`;
    // Nothing that they look at has changed.
    if (state === this.#seen) return null;
    this.#seen = state;
    return (
      this.#late ??
      this.#oneProcess() ??
      this.#noneBehindRows() ??
      this.#epochGrows() ??
      portsAndUsers() ??
      tooManySpares(spares) ??
      overdue(quietSince)
    );
  }

  /** At most one live process a user. */
  #oneProcess(): Violation | null {
    const users = new Set<string>();
    for (const { engine, pid } of world().machine.engines()) {
      const user = engine?.user_id ?? "";
      if (users.has(user)) return { invariant: "one process a user", detail: `${user} has a second process, ${pid}` };
      users.add(user);
    }
    return null;
  }

  /** A row that says that its process is gone is right, as it says so. A stopped engine is not launched either. */
  #noneBehindRows(): Violation | null {
    for (const row of engineRows()) {
      const { id, state, incarnation, user_id } = row;
      const said = `${state} ${incarnation} ${isAsleep(row) ? "asleep" : ""}`;
      const isNew = this.#rows.get(id) !== said;
      this.#rows.set(id, said);
      if (!(isNew || state === "stopped") || !(GONE.has(state) || isAsleep(row))) continue;
      const process = world().machine.ofIncarnation(incarnation);
      if (process === undefined || process.unkillableUntil > world().scheduler.now) continue;
      return {
        invariant: "no process behind a row without one",
        detail: `${user_id} is ${state}, ${process.pid} runs`,
      };
    }
    return null;
  }

  /** Each leader has a later epoch than the one before. */
  #epochGrows(): Violation | null {
    const [host] = world().postgres.rows("hosts");
    const [epoch, since] = [Number(host?.["epoch"] ?? 0), String(host?.["leader_since"])];
    const isWrong = epoch < this.#epoch || (epoch === this.#epoch && since !== this.#since && epoch > 0);
    if (isWrong) return { invariant: "epochs grow", detail: `${this.#epoch} became ${epoch}` };
    this.#epoch = epoch;
    this.#since = since;
    return null;
  }
}

/** No port and no uid is used twice. */
function portsAndUsers(): Violation | null {
  const [ports, uids] = [new Set<number>(), new Set<number>()];
  for (const { port, uid, user_id } of engineRows()) {
    if (port === null) return { invariant: "a port has one engine", detail: `${user_id} has none` };
    if (ports.has(port)) return { invariant: "a port has one engine", detail: `${user_id} on ${port}` };
    if (uid !== null && uids.has(uid)) return { invariant: "a uid has one engine", detail: `${user_id} as ${uid}` };
    ports.add(port);
    if (uid !== null) uids.add(uid);
  }
  return null;
}

/** A daemon has no more spares than its setting, which are few beside those that it is ending. */
function tooManySpares(most: number): Violation | null {
  const counts = Map.groupBy(world().machine.spares(), ({ owner }) => owner);
  for (const [owner, spares] of counts)
    if (spares.length > most)
      return { invariant: "spares are at most their number", detail: `${owner?.name} has ${spares.length}` };
  return null;
}

/** No transient state lasts longer than its deadline, once a daemon can finish it. */
function overdue(quietSince: number | null): Violation | null {
  if (quietSince === null || world().scheduler.now - quietSince < GRACE_MS) return null;
  const late = engineRows().find(
    ({ state, deadline_at }) =>
      isTransient(state) && (deadline_at?.getTime() ?? Infinity) < world().wallNow() - GRACE_MS,
  );
  return late === undefined
    ? null
    : { invariant: "no state over its deadline", detail: `${late.user_id} is ${late.state}` };
}

/** Whether nothing changes any more unless somebody asks. */
export function isAtRest(clients: Clients, leader: Daemon | null): boolean {
  if (clients.open.size > 0 || leader?.host === null || leader === null) return false;
  const { host } = leader;
  return engineRows().every(
    (row) =>
      !host.transitions.has(row.id) &&
      ((isAsleep(row) && world().machine.network.at(backendPort(row))?.isWatched === true) ||
        row.state === "stopped" ||
        row.state === "failed" ||
        (row.state === "running" && host.live.get(row.id)?.report !== null)),
  );
}

/** What must hold at rest: the rows, the processes, the daemon's memory and the sockets agree. */
export function checkRest(clients: Clients, leader: Daemon, engines: Iterable<string>): Violation | null {
  const { machine } = world();
  const live = leader.host?.live;
  const wanted = new Map<string, EngineRow>();
  for (const row of engineRows()) {
    if (row.state !== "running") {
      if (live?.get(row.id) !== undefined) return mismatch(`${row.user_id} is ${row.state} and supervised`);
      continue;
    }
    wanted.set(row.incarnation, row);
    const process = machine.ofIncarnation(row.incarnation);
    if (process === undefined) return mismatch(`${row.user_id} is running without a process`);
    if (row.handle?.["pid"] !== process.pid) return mismatch(`${row.user_id} has the handle of another process`);
    if (live?.get(row.id)?.incarnation !== row.incarnation)
      return mismatch(`${row.user_id} is running and not supervised`);
  }
  for (const { engine, pid } of machine.engines())
    if (engine !== null && !wanted.has(engine.incarnation))
      return mismatch(`process ${pid} of ${engine.user_id} has no row`);
  for (const row of engineRows()) {
    const listens = machine.network.at(backendPort(row)) !== undefined;
    if (isAsleep(row) && !listens) return mismatch(`no call can wake ${row.user_id}`);
    if ((row.state === "stopped" || row.state === "failed") && listens)
      return mismatch(`calls of ${row.user_id} wait, which is ${row.state}`);
  }
  return turnsStored(clients) ?? foldersOwned() ?? nothingHeld(leader, engines);
}

const mismatch = (detail: string): Violation => ({ invariant: "rows are processes at rest", detail });

/** A turn that was answered is stored, once. */
function turnsStored(clients: Clients): Violation | null {
  const engines = new Set(engineRows().map(({ id }) => id));
  for (const { id, engineId } of clients.answered) {
    const times = world().machine.folders.of(engineId)?.turns.get(id) ?? 0;
    if (times > 1) return { invariant: "no turn twice", detail: `turn ${id} ran ${times} times` };
    if (times === 0 && engines.has(engineId)) return { invariant: "no turn lost", detail: `turn ${id} is not stored` };
  }
  return null;
}

/** Nothing holds what a later start or call needs. */
function nothingHeld({ host }: Daemon, engines: Iterable<string>): Violation | null {
  if (host === null) return null;
  const { live, awakeSlots, bootQueue, boots, wakes } = host;
  const held = {
    "awake slots": awakeSlots.used(live.ids()) - live.ids().size,
    "boot slots": bootQueue.starting + bootQueue.waiting,
    boots: boots.size,
    wakes: wakes.size,
    "owners of engines": [...engines].filter((id) => host.transitions.has(id)).length,
  };
  const name = Object.entries(held).find(([, count]) => count > 0)?.[0];
  return name === undefined ? null : { invariant: "nothing is held at rest", detail: name };
}

/** A folder without an engine would be nobody's. */
function foldersOwned(): Violation | null {
  const engines = new Set(engineRows().map(({ id }) => id));
  const lost = world()
    .machine.folders.ids()
    .find((id) => !engines.has(id));
  return lost === undefined ? null : { invariant: "every folder has an engine", detail: lost };
}

/** Of what only the database does wrong, nothing is counted against an engine, unless a daemon ended. */
export function nothingCounted({ events }: Plan, { hasLostDaemon }: Fleet): Violation | null {
  if (hasLostDaemon || !events.every(sparesEngines)) return null;
  const blamed = engineRows().find(({ restart_count }) => restart_count > 0);
  if (blamed === undefined) return null;
  const detail = `${blamed.user_id}: ${JSON.stringify(blamed.last_error)}`;
  return { invariant: "nothing is counted against an engine", detail };
}
