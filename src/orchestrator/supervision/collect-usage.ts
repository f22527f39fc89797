import { USAGE_LIMITS, type UsageReport, dayOf } from "../../contract/engine/metered-usage.ts";
import { engineStatus } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import { type UsageOwner, findUsageCursor, storeUsage } from "../store/metered-usage.ts";

type Host = Pick<HostContext, "db" | "now" | "logger">;

const DAY_MS = 86_400_000;
/** The most reports of one read. The next read continues. */
const MAX_REPORTS = 40;

/** Reads from the database how far an engine's usage is collected, once for each incarnation. */
export async function loadUsageCursor(host: Host, live: LiveEngine): Promise<void> {
  if (live.usageCursor !== undefined) return;
  try {
    live.usageCursor = await findUsageCursor(host.db, ownerOf(live));
  } catch (error) {
    // Retried with the next report.
    host.logger.warn({ err: error, engine_id: live.id }, "failed to read the usage cursor of an engine");
  }
}

/** Stores a report of an engine, and the next ones. A report that cannot be stored is read again with the next status. */
export async function collectUsage(host: Host, live: LiveEngine, first: UsageReport | undefined): Promise<void> {
  try {
    let report = first;
    for (let reports = 0; report !== undefined && reports < MAX_REPORTS; reports++) {
      await storeUsage(host.db, ownerOf(live), plausible(report, host.now()));
      live.usageCursor = { ledger: report.ledger, revision: report.revision };
      if (!report.more) return;
      const next = await engineStatus({ url: live.url, token: live.controlToken }, { usage: live.usageCursor });
      report = next.kind === "ok" ? next.status.usage : undefined;
    }
  } catch (error) {
    live.usageCursor = undefined;
    host.logger.warn({ err: error, engine_id: live.id }, "failed to store the usage of an engine");
  }
}

/** The report without rows of impossible days. The engine's clock is not trusted. */
export function plausible(report: UsageReport, now: number): UsageReport {
  const [first, last] = [dayOf(now - (USAGE_LIMITS.keptDays + 1) * DAY_MS), dayOf(now + DAY_MS)];
  return { ...report, rows: report.rows.filter(({ day }) => day >= first && day <= last) };
}

const ownerOf = ({ id, productId, order }: LiveEngine): UsageOwner => ({
  productId,
  userId: order.launch.user_id,
  engineId: id,
});
