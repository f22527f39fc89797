import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import { ApiError } from "../api-error.ts";
import type { EngineProcess, LaunchOrder } from "../fleet/engine-backend.ts";
import type { HostContext } from "../host-context.ts";

/** By then this daemon leads again after an outage of the database, or another one leads and this one ends. */
const LEAD_WAIT_MS = 5000;
const POLL_MS = 100;

/**
 * Launches an engine unless this daemon was frozen since the row was written: the next leader may have launched it by
 * then. Throws `LaunchFailed`, or SERVICE_UNAVAILABLE while it does not lead, which is not the engine's fault.
 */
export async function launchAsLeader(
  { backend, leadership }: Pick<HostContext, "backend" | "leadership">,
  order: LaunchOrder,
  cancelled: AbortSignal,
): Promise<EngineProcess> {
  const end = new Deadline(LEAD_WAIT_MS);
  while (!(await leadership.isHeld()))
    if (end.isOver || !(await delay(POLL_MS, cancelled)))
      throw new ApiError("SERVICE_UNAVAILABLE", "this daemon does not lead the host now", { retryAfterS: 1 });
  return backend.launch(order);
}
