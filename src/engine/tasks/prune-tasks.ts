import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "../../shared/logger.ts";
import type { TaskTable } from "../store/tasks.ts";
import type { TaskSlots } from "../turns/task-slots.ts";
import type { TaskChanger } from "./task-changer.ts";

const DAY_MS = 24 * 3600 * 1000;
/** Tasks of one run. The next run continues. */
const AT_ONCE = 200;

export interface PruneTasksParts {
  readonly tasks: Pick<TaskTable, "inactiveSince">;
  readonly slots: Pick<TaskSlots, "get">;
  readonly taskChanger: Pick<TaskChanger, "delete">;
  /** Days without activity. Undefined: tasks are kept. */
  readonly ttlDays: number | undefined;
  readonly logger: Logger;
}

/** Deletes tasks without activity for longer than the policy allows, except those with a running turn. Never rejects. */
export async function pruneTasks({ tasks, slots, taskChanger, ttlDays, logger }: PruneTasksParts): Promise<void> {
  if (ttlDays === undefined) return;
  try {
    let pruned = 0;
    for (const taskId of tasks.inactiveSince(Date.now() - ttlDays * DAY_MS, AT_ONCE)) {
      await nextTurn();
      if (slots.get(taskId) !== undefined) continue;
      await taskChanger.delete(taskId, { forget: false });
      pruned++;
    }
    if (pruned > 0) logger.info({ pruned }, "deleted tasks that were inactive for longer than task_ttl_days");
  } catch (error) {
    logger.error({ err: error }, "failed to delete inactive tasks");
  }
}
