import type { Logger } from "../../shared/logger.ts";
import { internalError } from "../engine-error.ts";
import type { EventTable } from "../store/events.ts";
import { EventJournal } from "./event-journal.ts";
import type { TaskSlots } from "./task-slots.ts";

/** A journal that ends the turns whose events cannot be stored: nobody could see what they do. */
export function openJournal(table: EventTable, { slots, logger }: { slots: TaskSlots; logger: Logger }): EventJournal {
  return new EventJournal(table, {
    cannotStore: (error, turnIds) => {
      logger.error({ err: error }, "events cannot be stored; their turns end");
      const reason = internalError(error, "the engine cannot store its events");
      for (const slot of slots.all()) if (turnIds.has(slot.turnId)) slot.abort(reason);
    },
  });
}
