import type { EngineProcess, LaunchOrder } from "../fleet/engine-backend.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { engineUrl } from "../status/engine-record.ts";
import type { HostContext } from "../host-context.ts";

/** The in-memory state of an engine whose process answers. */
export function liveEngine(
  host: Pick<HostContext, "settings" | "now">,
  row: EngineRow,
  { process, order, healthySince }: { process: EngineProcess; order: LaunchOrder; healthySince: number },
): LiveEngine {
  return {
    id: row.id,
    productId: row.product_id,
    incarnation: row.incarnation,
    url: engineUrl(host.settings.engineHost, row.port),
    controlToken: order.launch.control_token,
    process,
    order,
    restarts: { count: row.restart_count, windowStartedAt: row.restart_window_started_at?.getTime() ?? null },
    isStopping: false,
    stopCause: null,
    healthySince,
    lastOkAt: host.now(),
    consecutiveFailures: 0,
    lastActiveAt: null,
    lastActiveStored: row.last_active_at?.getTime() ?? 0,
  };
}
