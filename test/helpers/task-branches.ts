import type { WorkspaceCheckpoints } from "../../src/engine/checkpoints/workspace-checkpoints.ts";
import { ConversationTable } from "../../src/engine/store/conversations.ts";
import { PlanTable } from "../../src/engine/store/plans.ts";
import { TaskTable } from "../../src/engine/store/tasks.ts";
import { WorkingMemoryTable } from "../../src/engine/store/working-memory.ts";
import { TaskBranches } from "../../src/engine/turns/task-branches.ts";
import type { Parts } from "./engine-parts.ts";

export const NO_FILES = { restorable: [], notCaptured: [], changedByOthers: [], notCompared: [] };

/** Forks and rewinds of an engine's inside; `plan` is what a restore of files would do. */
export const taskBranches = (
  { store, journal, runner, slots }: Parts,
  plan: WorkspaceCheckpoints["plan"] = () => Promise.resolve(NO_FILES),
): TaskBranches =>
  new TaskBranches({
    journal,
    runner,
    slots,
    tasks: new TaskTable(store),
    conversations: new ConversationTable(store),
    plans: new PlanTable(store),
    workingMemory: new WorkingMemoryTable(store),
    checkpoints: { plan, restore: () => Promise.resolve([]) },
    search: { indexTitle: () => undefined },
    changes: { changed: () => undefined },
  });
