import type { TaskRecord } from "@orchd/client";
import type { TaskList } from "../../live/use-tasks.ts";

/** What was read page by page, as it is now. `isAll`: conversations that began meanwhile are in it too; a search has none. */
export function withLive(
  read: readonly TaskRecord[],
  { tasks, removed }: Pick<TaskList, "tasks" | "removed">,
  isAll: boolean,
): readonly TaskRecord[] {
  if (tasks === null) return read;
  const shown = new Map<string, TaskRecord>();
  for (const task of read) if (!removed.has(task.task_id)) shown.set(task.task_id, tasks.get(task.task_id) ?? task);
  if (isAll) for (const [id, task] of tasks) shown.set(id, task);
  return [...shown.values()].toSorted((left, right) => right.last_active_at.localeCompare(left.last_active_at));
}
