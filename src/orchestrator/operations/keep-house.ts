import { delay } from "../../kit/clock.ts";
import { purgeEvents } from "../store/events.ts";
import { purgeIdempotencyKeys } from "../store/idempotency-keys.ts";
import type { Orchestration } from "./orchestration.ts";

const EVERY_MS = 600_000;
const EVENTS_KEPT_DAYS = 30;

/** Removes what is kept only for a time, until the daemon stops. */
export async function keepHouse(o: Orchestration): Promise<void> {
  do {
    try {
      await purgeEvents(o.db, EVENTS_KEPT_DAYS);
      await purgeIdempotencyKeys(o.db, new Date(o.now()));
    } catch (error) {
      o.logger.warn({ err: error }, "old records could not be removed");
    }
  } while (await delay(EVERY_MS, o.stopping));
}
