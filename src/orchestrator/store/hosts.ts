import type { Db, Trx } from "./database.ts";
import type { EventLog } from "./events.ts";

interface HostFlags {
  /** An operator set this host to draining. */
  readonly draining: boolean;
  /** A restore paused the schedules. */
  readonly schedulesPaused: boolean;
}

export async function readHostFlags(db: Db, hostId: string): Promise<HostFlags> {
  const row = await db
    .selectFrom("hosts")
    .select(["draining", "schedules_paused"])
    .where("host_id", "=", hostId)
    .executeTakeFirst();
  return { draining: row?.draining ?? false, schedulesPaused: row?.schedules_paused ?? false };
}

/** Stores the flag, and writes the event if it changed. */
export async function setDraining(trx: Trx, events: EventLog, draining: boolean): Promise<void> {
  const changed = await trx
    .insertInto("hosts")
    .values({ host_id: events.hostId, draining })
    .onConflict((conflict) =>
      conflict.column("host_id").doUpdateSet({ draining }).where("hosts.draining", "<>", draining),
    )
    .returning("host_id")
    .executeTakeFirst();
  if (changed === undefined) return;
  await events.insert(trx, { type: draining ? "host.draining" : "host.resumed", reason: "request" });
}

/** Ends the pause that a restore began, and writes the event if there was one. */
export async function unpauseSchedules(trx: Trx, events: EventLog): Promise<void> {
  const changed = await trx
    .updateTable("hosts")
    .set({ schedules_paused: false })
    .where("host_id", "=", events.hostId)
    .where("schedules_paused", "=", true)
    .returning("host_id")
    .executeTakeFirst();
  if (changed === undefined) return;
  await events.insert(trx, { type: "host.schedules_resumed", reason: "request" });
}
