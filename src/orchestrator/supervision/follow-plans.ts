import PQueue from "p-queue";
import { delay } from "../../shared/clock.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { EngineHost } from "../host-context.ts";
import { layersOf } from "../store/planned-policy.ts";
import type { EngineRow } from "../store/tables.ts";
import { tellBudgets } from "./follow-budgets.ts";
import { syncAllowed } from "./follow-models.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";

/** Engines that are told at the same time. One that does not answer takes a place for two seconds. */
const CONCURRENCY = 32;
/** How long the call that changes a plan waits for its engines. */
const SETTLE_MS = 1000;

/**
 * Takes from rows what decides about their running engines, and tells those for which it changed. Resolves after a second
 * at most: an engine that does not answer is told after its next probe.
 */
export async function planSettled(host: EngineHost, rows: readonly EngineRow[]): Promise<void> {
  const changed = rows.flatMap((row) => {
    const live = host.live.get(row.id);
    return live !== undefined && takeLayers(live, row) ? live : [];
  });
  const late = new AbortController();
  const told = new PQueue({ concurrency: CONCURRENCY }).addAll(changed.map((live) => () => tell(host, live)));
  await Promise.race([told, delay(SETTLE_MS, late.signal)]);
  late.abort();
}

/** Of an engine whose row may have changed since it was read for its launch, or while no daemon ran. */
export async function syncPlan(host: EngineHost, live: LiveEngine): Promise<void> {
  const find = () => host.awaited.find(live.productId, live.order.launch.user_id);
  const row = await retryUntilStopped(host, "plan of an engine", find);
  if (row?.id === live.id) takeLayers(live, row);
  await syncAllowed(host, live);
}

async function tell(host: EngineHost, live: LiveEngine): Promise<void> {
  await syncAllowed(host, live);
  await tellBudgets(host, live);
}

/** False when nothing is new: a row that was read earlier may arrive later. */
function takeLayers(live: LiveEngine, row: EngineRow): boolean {
  const layers = layersOf(row);
  if (layers.changes <= live.layers.changes) return false;
  live.layers = layers;
  live.isBudgetDue = true;
  // The row's transaction has removed those of its budgets.
  live.noticed.clear();
  return true;
}
