import { sql } from "kysely";
import * as z from "zod/mini";
import { type Forgotten, forgotten } from "../../contract/broker/forget.ts";
import type { Trx } from "./database.ts";

/** The channel of answers to brokers that hold no longer. The payload is a {@link Forgotten}. */
export const FORGOTTEN_CHANNEL = "orchd_forgotten";
/** What may have changed while nobody listened. Keys of engines are changed by their own host alone. */
export const ALL_FORGOTTEN: Forgotten = { secrets: true, connections: true };

/** Tells the daemons of all hosts, when the transaction commits. */
export async function notifyForgotten(trx: Trx, what: Forgotten): Promise<void> {
  await sql`select pg_notify(${FORGOTTEN_CHANNEL}, ${JSON.stringify(what)})`.execute(trx);
}

/** What a notification of this or another release says. */
export function readForgotten(payload: string): Forgotten {
  try {
    return z.parse(forgotten, JSON.parse(payload));
  } catch {
    return ALL_FORGOTTEN;
  }
}
