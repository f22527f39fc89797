import type { Logger } from "../../shared/logger.ts";
import { internalError } from "../engine-error.ts";
import type { EventTable } from "../store/events.ts";
import { EventJournal } from "./event-journal.ts";
import type { TaskSlots } from "./task-slots.ts";

/** A journal that aborts the turns whose events cannot be stored. */
export function openJournal(table: EventTable, { slots, logger }: { slots: TaskSlots; logger: Logger }): EventJournal {
  return new EventJournal(table, {
    onStoreFailure: (error, turnIds) => {
      logger.error({ err: error }, "failed to store events; aborting their turns");
      const reason = internalError(error, "the engine cannot store its events");
      for (const slot of slots.all()) if (turnIds.has(slot.turnId)) slot.abort(reason);
    },
  });
}
