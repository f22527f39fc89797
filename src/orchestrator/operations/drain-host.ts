import { appendAudit } from "../store/audit-log.ts";
import { setDraining } from "../store/hosts.ts";
import type { HostContext } from "../host-context.ts";

/** An operator's wish that this host take no new engines, or take them again. Engines are not touched by it. */
export async function drainHost(
  host: Pick<HostContext, "db" | "events" | "readiness">,
  draining: boolean,
): Promise<void> {
  await host.db.transaction().execute(async (trx) => {
    await appendAudit(trx, {
      action: draining ? "host.draining" : "host.resumed",
      detail: { host_id: host.events.hostId },
    });
    await setDraining(trx, host.events, draining);
  });
  host.readiness.draining = draining;
}
