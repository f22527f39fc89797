import type { EventType } from "../../contract/orchestrator/event-types.ts";
import type { HostContext } from "../host-context.ts";
import { appendAudit } from "../store/audit-log.ts";
import type { Trx } from "../store/database.ts";
import type { EngineRow } from "../store/tables.ts";

interface ScheduleChange {
  readonly type: Extract<EventType, "schedule.created" | "schedule.changed" | "schedule.deleted">;
  readonly engine: EngineRow;
  /** Ids and names of fields, without secrets and messages. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Writes the audit line and the event of a change. They must be the last statements of the transaction. */
export async function recordScheduleChange(
  { events }: Pick<HostContext, "events">,
  trx: Trx,
  { type, engine, detail }: ScheduleChange,
): Promise<void> {
  await appendAudit(trx, { action: type, product_id: engine.product_id, engine_id: engine.id, detail });
  await events.insert(trx, { type, engine, reason: "request", data: detail });
}
