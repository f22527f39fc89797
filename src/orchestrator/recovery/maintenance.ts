import { currentDigests } from "../store/catalogs.ts";
import { delay } from "../../shared/clock.ts";
import { purgeEvents } from "../store/events.ts";
import { expireReservations } from "../store/budget-reservations.ts";
import { purgeBudgets } from "../store/budgets.ts";
import { purgeDeliveries } from "../store/notification-deliveries.ts";
import { purgeUsage } from "../store/metered-usage.ts";
import { purgeIdempotencyKeys } from "../store/idempotency-keys.ts";
import { sweepKeptData } from "../operations/erase-kept-data.ts";
import { collectKnowledge } from "../supervision/reload-knowledge.ts";
import type { HostContext } from "../host-context.ts";

const INTERVAL_MS = 600_000;
const EVENTS = { keptDays: 30, perProduct: 500_000 };

/** Removes expired events, idempotency keys, responses and kept data periodically until the daemon stops. */
export async function startMaintenance(
  host: Pick<
    HostContext,
    "db" | "directory" | "backend" | "idempotencyLimit" | "live" | "now" | "prices" | "logger" | "stopping"
  >,
): Promise<void> {
  do {
    await attempt(host, "events", () => purgeEvents(host.db, EVENTS));
    await attempt(host, "idempotency keys", () => purgeIdempotencyKeys(host.db, new Date(host.now())));
    await attempt(host, "idempotency keys", () => host.idempotencyLimit.trimAll(host.db));
    await attempt(host, "notifications", () => purgeDeliveries(host.db));
    await attempt(host, "usage", () => purgeUsage(host.db, host.now()));
    await attempt(host, "budgets", () => expireReservations(host.db, host.now(), host.prices.table?.prices ?? []));
    await attempt(host, "budgets", () => purgeBudgets(host.db, host.now()));
    await attempt(host, "kept data", () => sweepKeptData(host));
    await attempt(host, "catalogs", () => collectCatalogs(host));
    await attempt(host, "knowledge", () => collectAllKnowledge(host));
  } while (await delay(INTERVAL_MS, host.stopping));
}

/** A failed removal is logged and does not prevent the others. */
async function attempt(
  { logger }: Pick<HostContext, "logger">,
  what: string,
  remove: () => Promise<unknown>,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    logger.warn({ err: error, what }, "failed to remove old records");
  }
}

/** Removes files of products' knowledge that were replaced. */
async function collectAllKnowledge(host: Pick<HostContext, "db" | "directory" | "live" | "backend" | "now">) {
  for (const productId of (await currentDigests(host.db)).keys()) await collectKnowledge(host, productId);
}

/** Removes versions of products' catalogs from where engines run that were not used for a day. */
async function collectCatalogs({
  db,
  live,
  backend,
  now,
}: Pick<HostContext, "db" | "live" | "backend" | "now">): Promise<void> {
  const current = [...(await currentDigests(db))];
  const inUse = new Map(current.map(([id, digest]) => [id, new Set(digest === null ? [] : [digest])]));
  for (const { productId, order } of live.all()) {
    const digest = order.catalog?.digest ?? null;
    if (digest !== null) inUse.get(productId)?.add(digest);
  }
  await backend.catalogs.collect(inUse, now());
}
