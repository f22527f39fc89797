import { createHash } from "node:crypto";
import { sql } from "kysely";
import { TURN_NOTICES, type TurnNotice } from "../../contract/engine/turn-notice.ts";
import type { EventType } from "../../contract/orchestrator/event-types.ts";
import type { Db } from "./database.ts";
import type { EventLog } from "./events.ts";
import type { UsageOwner } from "./metered-usage.ts";

/**
 * Stores those notices of an engine as events that an endpoint of its product wants. The id of an event follows from what
 * it tells of, so that a notice that is read twice, or by two daemons, is one event. The wait of a scheduled turn has its
 * event from its run.
 */
export async function storeNotices(
  { db, events }: { readonly db: Db; readonly events: EventLog },
  { engineId, productId, userId, incarnation }: UsageOwner & { readonly incarnation: string },
  notices: readonly TurnNotice[],
): Promise<void> {
  const rows = notices.map((notice) => ({ id: eventId(engineId, notice), type: notice.type, data: dataOf(notice) }));
  const { rows: stored } = await sql<{ type: EventType }>`
    insert into events (id, host_id, type, product_id, user_id, engine_id, incarnation, actor, data)
    select given.id, ${events.hostId}, given.type, ${productId}, ${userId}, ${engineId}, ${incarnation}::uuid,
      'orchd', given.data
    from jsonb_to_recordset(${JSON.stringify(rows.map((row, nth) => ({ ...row, nth })))}::jsonb)
      as given (nth integer, id text, type text, data jsonb)
    where exists (
        select from notification_endpoints where product_id = ${productId} and given.type = any(events)
      )
      and not (given.type = 'turn.waiting' and exists (
        select from scheduled_runs where engine_id = ${engineId} and turn_id = given.data ->> 'turn_id'
      ))
    order by given.nth
    on conflict (id) do nothing
    returning type`.execute(db);
  for (const { type } of stored) events.count(type);
}

/** The products with an endpoint that wants to know of turns. */
export async function productsToldOfTurns(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ product_id: string }>`
    select distinct product_id from notification_endpoints where events && ${[...TURN_NOTICES]}::text[]`.execute(db);
  return new Set(rows.map(({ product_id }) => product_id));
}

/** Without the number: a store that was restored from a backup uses its numbers again. */
function eventId(engineId: string, { type, task_id, turn_id, request_id, at }: TurnNotice): string {
  const told = JSON.stringify([engineId, type, task_id, turn_id, request_id, at]);
  const hex = createHash("sha256").update(told).digest("hex");
  return `evt_${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")}`;
}

const dataOf = ({ task_id, turn_id, request_id, error }: TurnNotice): Readonly<Record<string, string>> => ({
  task_id,
  ...(turn_id !== null && { turn_id }),
  ...(request_id !== null && { request_id }),
  ...(error !== null && { error }),
});
