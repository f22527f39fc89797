import PQueue from "p-queue";
import { type BudgetName, type Budgets, limitsOf, periodOf, shownAmount } from "../../contract/orchestrator/budgets.ts";
import { isCallKey } from "../../contract/broker/call-key.ts";
import type { BudgetReport, BudgetSpent } from "../../contract/engine/budgets.ts";
import { setEngineBudgets } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import { type Lease, aheadOf, engineBudgetsOf, hasBudgets, noticeOf } from "../rules/engine-budgets.ts";
import { leaseBudget, productSpent, returnLease, storeNotice } from "../store/budgets.ts";

type Host = Pick<HostContext, "db" | "events" | "directory" | "prices" | "lanes" | "live" | "now" | "logger">;

/** The shortest interval at which shares of other engines are reclaimed for one that waits. */
const RECLAIM_MS = 2000;
/** Engines of a product that return shares at a time. Each takes a connection to the database. */
const SHRINKS = 5;

/**
 * Sends an engine its budgets when they have changed, extends its shares (leases) of the product's budgets, and writes
 * notices. `report`: of its last status. An engine that cannot be reached keeps its budgets.
 */
export const syncBudgets = (host: Host, live: LiveEngine, report: BudgetReport | undefined): Promise<void> =>
  host.lanes.run(laneOf(live), async () => {
    try {
      // Before the policy is read: a change that comes meanwhile is due again.
      live.isBudgetDue = false;
      const policy = await host.directory.policyOfEngine(live);
      if (policy === null || (!hasBudgets(policy.budgets) && live.budgetsSent === NONE_SENT)) return;
      live.waitsForBudget = report?.spent.some(({ wanted }) => wanted > 0) ?? false;
      let known = report;
      // An engine without budgets reports its spending only after it got them.
      for (let round = 0; round < 2; round++) {
        const leases = isBrokered(live)
          ? await standingOf(host, live, policy.budgets)
          : known === undefined
            ? []
            : await extendLeases(host, live, { budgets: policy.budgets, report: known });
        const answer = await send(host, live, { budgets: policy.budgets, leases });
        if (answer === "unreachable") {
          live.isBudgetDue = true;
          break;
        }
        if (known !== undefined || answer === undefined) break;
        known = answer;
      }
      if (known !== undefined) await noticeOwn(host, live, { budgets: policy.budgets, report: known });
    } catch (error) {
      live.isBudgetDue = true;
      host.logger.warn({ err: error, engine_id: live.id }, "failed to update the budgets of an engine");
    }
  });

/** Whether the broker reserves each call of the engine. Its shares are then the whole budgets. */
const isBrokered = ({ order }: LiveEngine): boolean => Object.values(order.launch.settings).some(isCallKey);

/** What the engine of a broker is told of the product's budgets, so that it refuses turns before their first call. */
async function standingOf(host: Host, live: LiveEngine, budgets: Budgets): Promise<readonly Lease[]> {
  const leases: Lease[] = [];
  for (const { name, limit } of limitsOf(budgets.product)) {
    const period = periodOf(name, host.now());
    const prices = host.prices.table?.prices ?? [];
    const spent = await productSpent(host.db, { productId: live.productId, budget: name, period, prices });
    leases.push({ name, period, granted: limit, isSpent: spent >= limit });
    await notice(host, live, { userId: null, name, limit, spent, budgets });
  }
  return leases;
}

/** The value of `budgetsSent` for an engine without budgets. */
const NONE_SENT = null;
const laneOf = ({ id }: LiveEngine): string => `budgets ${id}`;

interface Situation {
  readonly budgets: Budgets;
  readonly report: BudgetReport;
}

/** Sends budgets that differ from the last ones. Undefined when the engine has them already. */
async function send(
  host: Pick<Host, "prices" | "now">,
  live: LiveEngine,
  { budgets, leases }: { readonly budgets: Budgets; readonly leases: readonly Lease[] },
): Promise<BudgetReport | "unreachable" | undefined> {
  const providers = [...live.order.upstreams.keys()];
  const wanted = engineBudgetsOf(budgets, { table: host.prices.table, providers, leases, now: host.now() });
  const text = JSON.stringify(wanted);
  if (text === live.budgetsSent) return undefined;
  const answer = await setEngineBudgets({ url: live.url, token: live.controlToken }, wanted);
  if (answer.kind === "failed") return "unreachable";
  live.budgetsSent = hasBudgets(budgets) ? text : NONE_SENT;
  return answer.status.budgets;
}

/** The engine's shares, extended as far as the budgets allow. */
async function extendLeases(host: Host, live: LiveEngine, situation: Situation): Promise<readonly Lease[]> {
  const { budgets, report } = situation;
  const prices = host.prices.table?.prices ?? [];
  const leases: Lease[] = [];
  for (const { name, limit } of limitsOf(budgets.product)) {
    const spent = spentOn(host, report, name);
    if (spent === undefined) continue;
    const { ledger } = report;
    const key = { productId: live.productId, budget: name, period: spent.period, ledger, prices };
    const terms = { limit, spent: spent.spent, ahead: aheadOf(limit, spent.wanted) };
    let state = await leaseBudget(host.db, key, terms);
    const waits = spent.wanted > 0 && state.granted <= spent.held && state.productSpent < limit;
    if (waits && performance.now() - live.reclaimedAt >= RECLAIM_MS) {
      live.reclaimedAt = performance.now();
      await reclaim(host, live, { budgets, name });
      state = await leaseBudget(host.db, key, terms);
    }
    const isSpent = state.productSpent >= limit;
    leases.push({ name, period: spent.period, granted: state.granted, isSpent });
    await notice(host, live, { userId: null, name, limit, spent: state.productSpent, budgets });
    // The budget was lowered below what engines hold.
    if (state.productGranted > limit && state.granted > spent.held)
      leases.splice(-1, 1, {
        name,
        period: spent.period,
        granted: await shrink(host, live, { budgets, name }),
        isSpent,
      });
  }
  return leases;
}

/** Reclaims the unused shares of the product's other engines, for one that waits. */
async function reclaim(
  host: Host,
  asking: LiveEngine,
  what: { readonly budgets: Budgets; readonly name: BudgetName },
): Promise<void> {
  const others = host.live
    .all()
    .filter((live) => live.productId === asking.productId && live.id !== asking.id && !isBrokered(live));
  // One after the other: a second engine that waits finds most shares returned.
  await host.lanes.run(`reclaim ${asking.productId}`, () =>
    new PQueue({ concurrency: SHRINKS }).addAll(others.map((other) => () => shrinkOther(host, other, what))),
  );
}

/** By the other engine's own budgets: its plan may not be that of the one that asks. */
async function shrinkOther(
  host: Host,
  other: LiveEngine,
  { budgets: { product }, name }: { readonly budgets: Budgets; readonly name: BudgetName },
): Promise<void> {
  const policy = await host.directory.policyOfEngine(other);
  if (policy !== null) await shrink(host, other, { budgets: { ...policy.budgets, product }, name });
}

/**
 * Lowers an engine's share to what it has spent and reserved, and returns the rest once the engine has confirmed it. Until
 * then the old share stays recorded, so that no other engine is granted it.
 */
async function shrink(
  host: Host,
  live: LiveEngine,
  { budgets, name }: { readonly budgets: Budgets; readonly name: BudgetName },
): Promise<number> {
  const { budgetsSent } = live;
  const sent = typeof budgetsSent === "string" ? leaseIn(budgetsSent, name) : undefined;
  if (sent === undefined || sent.granted === 0) return sent?.granted ?? 0;
  const lowered: Lease = { name, period: sent.period, granted: 0, isSpent: sent.is_spent };
  const answer = await send(host, live, { budgets, leases: [...otherLeases(budgetsSent ?? null, name), lowered] });
  const isAnswered = answer !== undefined && answer !== "unreachable";
  const spent = isAnswered ? spentOn(host, answer, name) : undefined;
  if (!isAnswered || spent === undefined || spent.period !== sent.period) return sent.granted;
  const prices = host.prices.table?.prices ?? [];
  const key = { productId: live.productId, budget: name, period: spent.period, ledger: answer.ledger, prices };
  await returnLease(host.db, key, spent);
  return spent.held;
}

/** Returns the shares of an engine that has ended. Its next process gets new ones. */
export async function returnLeases(
  host: Pick<Host, "db" | "directory" | "prices" | "logger">,
  live: LiveEngine,
  report: BudgetReport | undefined,
): Promise<void> {
  if (report === undefined || live.budgetsSent === null || isBrokered(live)) return;
  try {
    const policy = await host.directory.policyOf(live.productId);
    for (const { name } of limitsOf(policy?.budgets.product ?? {})) {
      const spent = report.spent.find((one) => one.name === name);
      if (spent === undefined) continue;
      const prices = host.prices.table?.prices ?? [];
      const { ledger } = report;
      const key = { productId: live.productId, budget: name, period: spent.period, ledger, prices };
      await returnLease(host.db, key, { held: spent.spent, spent: spent.spent });
    }
  } catch (error) {
    // Other engines cannot use these shares until the engine's next process returns them.
    host.logger.warn({ err: error, engine_id: live.id }, "failed to return an engine's shares of budgets");
  }
}

/** The engine's spending in the current period by the daemon's clock, since the engine's is not trusted. */
const spentOn = (host: Pick<Host, "now">, report: BudgetReport, name: BudgetName): BudgetSpent | undefined =>
  report.spent.find((one) => one.name === name && one.period === periodOf(name, host.now()));

type SentLease = {
  readonly name: BudgetName;
  readonly period: string;
  readonly granted: number;
  readonly is_spent: boolean;
};

const leasesIn = (sent: string): readonly SentLease[] =>
  (JSON.parse(sent) as { readonly leases: readonly SentLease[] }).leases;
const leaseIn = (sent: string, name: BudgetName) => leasesIn(sent).find((lease) => lease.name === name);
const otherLeases = (sent: string | null, name: BudgetName): readonly Lease[] =>
  sent === null
    ? []
    : leasesIn(sent).flatMap(({ is_spent: isSpent, ...lease }) => (lease.name === name ? [] : [{ ...lease, isSpent }]));

async function noticeOwn(host: Host, live: LiveEngine, { budgets, report }: Situation): Promise<void> {
  const userId = live.order.launch.user_id;
  for (const { name, limit } of limitsOf(budgets.engine)) {
    const spent = spentOn(host, report, name);
    if (spent !== undefined) await notice(host, live, { userId, name, limit, spent: spent.spent, budgets });
  }
}

async function notice(
  host: Host,
  live: LiveEngine,
  {
    userId,
    name,
    limit,
    spent,
    budgets,
  }: {
    readonly userId: string | null;
    readonly name: BudgetName;
    readonly limit: number;
    readonly spent: number;
    readonly budgets: Budgets;
  },
): Promise<void> {
  const type = noticeOf(spent, limit, budgets.warn_at);
  const period = periodOf(name, host.now());
  const budget = `${userId === null ? "product" : "engine"}.${name}`;
  const text = `${type} ${budget} ${period} ${limit}`;
  if (type === null || live.noticed.has(text)) return;
  const amounts = { spent: shownAmount(name, spent), limit: shownAmount(name, limit) };
  const engine = {
    id: live.id,
    product_id: live.productId,
    user_id: live.order.launch.user_id,
    incarnation: live.incarnation,
  };
  await storeNotice(host.db, host.events, { type, engine, isProducts: userId === null, budget, period, ...amounts });
  live.noticed.add(text);
}
