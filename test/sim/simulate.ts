import { DEFAULT_POLICY } from "../../src/contract/orchestrator/policy.ts";
import { Clients } from "./clients.ts";
import { Invariants, type Violation, checkRest, engineRows, isAtRest, nothingCounted } from "./invariants.ts";
import { world } from "./kernel/world.ts";
import { openWorld } from "./open-world.ts";
import type { Plan } from "./plan.ts";
import type { Server } from "./postgres/server.ts";
import type { Entry } from "./postgres/transcript.ts";
import { Fleet } from "./troubles.ts";

const PRODUCT_ID = "prd_1";
/** How long the fleet may take to come to rest after the last trouble. */
const REST_MS = 420_000;
/** How long it must stay at rest. */
const STAYS_MS = 12_000;

export interface Outcome {
  readonly violation: Violation | null;
  readonly steps: number;
  /** Turns that engines have answered. */
  readonly turns: number;
  /** Simulated milliseconds. */
  readonly ms: number;
  readonly trace: readonly string[];
  /** The names of all draws, for a replay. */
  readonly draws: readonly string[];
}

interface Options {
  /** The draws of an earlier run of the plan. */
  readonly expected?: readonly string[];
  /** Whether the trace has every step of the scheduler. */
  readonly withSteps?: boolean;
  /** Gets what the server does. */
  readonly transcript?: Entry[];
}

/** Runs a plan. */
export async function simulate(
  plan: Plan,
  { expected, withSteps = false, transcript }: Options = {},
): Promise<Outcome> {
  const { draws, scheduler, postgres, trace, clock } = openWorld({ ...plan, expected });
  if (withSteps)
    scheduler.onStep = (actor, label) => world().note(`   step of ${actor?.name ?? "the machine"}: ${label}`);
  postgres.transcript = transcript ?? null;
  insertProduct(plan, postgres);
  const clients = new Clients(PRODUCT_ID);
  const violation = await run(plan, new Fleet(plan.setup, clock), clients);
  return {
    violation,
    steps: scheduler.steps,
    turns: clients.answered.length,
    ms: scheduler.now,
    trace,
    draws: draws.names,
  };
}

async function run(plan: Plan, fleet: Fleet, clients: Clients): Promise<Violation | null> {
  const { scheduler } = world();
  const invariants = new Invariants();
  fleet.open();
  let left = plan.events.length;
  for (const event of plan.events)
    scheduler.after(
      event.at,
      event.does.kind,
      () => {
        left--;
        if (!fleet.trouble(event)) clients.run(event.does as never, fleet.addressee);
      },
      { actor: null },
    );
  let violation: Violation | null = null;
  let restSince: number | null = null;
  const end = (plan.events.at(-1)?.at ?? 0) + REST_MS;
  const isDone = () => {
    violation ??= invariants.check(fleet.quietSince, plan.setup.spares) ?? unexpected(clients);
    if (violation !== null) return true;
    if (left > 0 || fleet.quietSince === null || !isAtRest(clients, fleet.leader)) restSince = null;
    else restSince ??= scheduler.now;
    return restSince !== null && scheduler.now - restSince >= STAYS_MS;
  };
  const goesOn = await scheduler.run(end, isDone);
  if (violation !== null) return violation;
  if (!goesOn) return { invariant: "something runs", detail: "no task is left" };
  const { leader } = fleet;
  if (restSince === null || leader === null)
    return { invariant: "the fleet comes to rest", detail: describe(clients, fleet) };
  return checkRest(clients, leader, invariants.engines) ?? nothingCounted(plan, fleet);
}

const unexpected = ({ unexpected: [detail] }: Clients): Violation | null =>
  detail === undefined ? null : { invariant: "calls fail as documented", detail };

function describe(clients: Clients, { leader }: Fleet): string {
  const host = leader?.host;
  const rows = engineRows().map((row) => {
    const live = host?.live.get(row.id);
    const seen =
      live === undefined ? "" : ` (${live.consecutiveFailures} misses${live.report === null ? ", no report" : ""})`;
    return `${row.user_id} ${row.state}${seen}${host?.transitions.has(row.id) === true ? " changing" : ""}`;
  });
  const calls = [...clients.open].map(({ what }) => what);
  return [...rows, ...calls, leader === null ? "nobody leads" : "led"].join(", ");
}

function insertProduct({ idleStopS, drainS }: Plan, postgres: Server): void {
  const policy = { ...DEFAULT_POLICY, idle_stop_s: idleStopS, drain_s: drainS };
  const operator = postgres.open({ client: null, onNotice: () => undefined, onClosed: () => undefined });
  const failed = (outcome: object) => {
    if ("error" in outcome) throw outcome.error;
  };
  postgres.execute(
    operator,
    "insert into products (id, slug, policy) values ($1, 'demo', $2)",
    [PRODUCT_ID, JSON.stringify(policy)],
    failed,
  );
  postgres.execute(operator, "insert into product_keys (hash, product_id) values ('hash', $1)", [PRODUCT_ID], failed);
  postgres.close(operator);
}
