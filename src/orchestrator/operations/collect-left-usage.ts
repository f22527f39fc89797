import type { HostContext } from "../host-context.ts";
import { findEngineById } from "../store/engines.ts";
import { findUsageCursor, storeUsage } from "../store/metered-usage.ts";
import type { EngineRow } from "../store/tables.ts";
import { plausible } from "../supervision/collect-usage.ts";

/**
 * Collects what an engine that has ended has spent, before its folder goes. The file is read only where the engine's last
 * report may lack something: it crashed, or was stopped while it worked or without a daemon. A store that cannot be read
 * does not prevent the destroy.
 */
export async function collectLeftUsage(
  host: Pick<HostContext, "db" | "backend" | "now" | "logger" | "stopping">,
  engine: EngineRow,
): Promise<void> {
  const { id, incarnation, product_id: productId, user_id: userId } = engine;
  const row = await findEngineById(host.db, id);
  if (row?.usage_collected === incarnation) return;
  const cursor = await findUsageCursor(host.db, { productId, userId });
  const ledger = await host.backend.storage.readLedger(id, cursor, host.stopping);
  if (ledger.kind === "failed") {
    host.logger.error({ engine_id: id, reason: ledger.reason }, "failed to read the usage of a destroyed engine");
    return;
  }
  for (const report of ledger.reports)
    await storeUsage(host.db, { productId, userId, engineId: id }, plausible(report, host.now()));
}
