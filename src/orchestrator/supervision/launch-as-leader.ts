import type { EngineProcess, LaunchOrder } from "../fleet/engine-backend.ts";
import { LaunchFailed } from "../fleet/launch-failed.ts";
import type { HostContext } from "../host-context.ts";

/**
 * Launches an engine unless this daemon was frozen since the row was written: the next leader may have launched it by
 * then. Throws `LaunchFailed`.
 */
export async function launchAsLeader(
  { backend, leadership }: Pick<HostContext, "backend" | "leadership">,
  order: LaunchOrder,
): Promise<EngineProcess> {
  if (!(await leadership.isHeld())) throw new LaunchFailed("this daemon no longer leads the host");
  return backend.launch(order);
}
