import type { HostContext } from "../host-context.ts";
import { appendAudit } from "../store/audit-log.ts";
import { setDraining, unpauseSchedules } from "../store/hosts.ts";

type Host = Pick<HostContext, "db" | "events" | "readiness">;

/**
 * Starts or ends draining: a draining host refuses new engines. Existing engines are not affected.
 * Tested in test/end-to-end/host.test.ts.
 */
export async function drainHost({ db, events, readiness }: Host, draining: boolean): Promise<void> {
  const action = draining ? "host.draining" : "host.resumed";
  await db.transaction().execute(async (trx) => {
    await appendAudit(trx, { action, detail: { host_id: events.hostId } });
    await setDraining(trx, events, draining);
  });
  readiness.draining = draining;
}

/** Runs the schedules of a restored host again. Tested in test/end-to-end/restore.test.ts. */
export async function resumeSchedules({ db, events, readiness }: Host): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await appendAudit(trx, { action: "host.schedules_resumed", detail: { host_id: events.hostId } });
    await unpauseSchedules(trx, events);
  });
  readiness.schedulesPaused = false;
}
