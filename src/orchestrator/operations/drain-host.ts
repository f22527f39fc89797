import { appendAudit } from "../store/audit-log.ts";
import { setDraining } from "../store/hosts.ts";
import type { HostContext } from "../host-context.ts";

/**
 * Starts or ends draining: a draining host refuses new engines. Existing engines are not affected.
 * Tested in test/end-to-end/host.test.ts.
 */
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
