import { sql } from "kysely";
import { newId } from "../../shared/ids.ts";
import type { Db } from "./database.ts";

const BATCH = 500;
/** The fields of an event's data that a message has: ids, names and numbers, nothing that users or programs wrote. */
const SHOWN = [
  "schedule_id",
  "webhook_id",
  "run_id",
  "turn_id",
  "task_id",
  "request_id",
  "error",
  "version",
  "restored_from",
  "budget",
  "period",
  "spent",
  "limit",
  "state",
  "next_at",
  "phase",
  "exit_code",
  "signal",
  "oom",
  "fields",
] as const;

/**
 * Turns the next events into deliveries and moves the position, in one transaction. The events are the outbox: each
 * committed with the state that it tells of, and in the order of its number. Returns whether more may follow.
 */
export async function spreadEvents(db: Db): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const position = await trx.selectFrom("notification_position").select("seq").forUpdate().executeTakeFirstOrThrow();
    const events = await trx
      .selectFrom("events")
      .select(["seq", "type", "time", "product_id", "user_id", "engine_id", "data"])
      .where("seq", ">", position.seq)
      .orderBy("seq")
      .limit(BATCH)
      .execute();
    const last = events.at(-1);
    if (last === undefined) return false;
    const products = [...new Set(events.flatMap(({ product_id }) => product_id ?? []))];
    const endpoints = await trx
      .selectFrom("notification_endpoints")
      .select(["id", "product_id", "events"])
      .where("product_id", "=", sql<string>`any(${products})`)
      .execute();
    const rows = events.flatMap(({ type, time, product_id, user_id, engine_id, data }) =>
      endpoints
        .filter((endpoint) => endpoint.product_id === product_id && endpoint.events.includes(type))
        .map(({ id }) => ({
          id: newId("ntf"),
          endpoint_id: id,
          engine_id: engine_id ?? "",
          type,
          payload: JSON.stringify({
            type,
            created_at: time.toISOString(),
            data: { user_id, engine_id, ...shownOf(data) },
          }),
        })),
    );
    if (rows.length > 0) await trx.insertInto("notification_deliveries").values(rows).execute();
    await trx.updateTable("notification_position").set({ seq: last.seq }).execute();
    return events.length === BATCH;
  });
}

function shownOf(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(SHOWN.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]]])));
}
