import type { Db, Trx } from "./database.ts";
import type { EventLog } from "./events.ts";

/** Whether an operator set this host to draining. */
export async function isDraining(db: Db, hostId: string): Promise<boolean> {
  const row = await db.selectFrom("hosts").select("draining").where("host_id", "=", hostId).executeTakeFirst();
  return row?.draining ?? false;
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
