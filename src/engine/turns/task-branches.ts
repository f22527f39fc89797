import type { ForkedTask, RestoredFiles, Rewound, TaskBranch } from "../../contract/engine/branch.ts";
import { isoTime } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import type { UserContent } from "../attachments/user-content.ts";
import type { WorkspaceCheckpoints } from "../checkpoints/workspace-checkpoints.ts";
import { EngineError } from "../engine-error.ts";
import type { ConversationTable, PlacedMessage } from "../store/conversations.ts";
import type { PlanTable } from "../store/plans.ts";
import type { TaskRow, TaskTable } from "../store/tasks.ts";
import type { WorkingMemoryTable } from "../store/working-memory.ts";
import { PLAN_HEADING, planOfEntry } from "../tools/plan.ts";
import type { EventJournal } from "./event-journal.ts";
import { restoredFiles } from "./restored-files.ts";
import type { TurnRunner } from "./turn-runner.ts";
import type { TaskSlots } from "./task-slots.ts";

export interface TaskBranchParts {
  readonly journal: EventJournal;
  readonly runner: Pick<TurnRunner, "hold">;
  readonly slots: Pick<TaskSlots, "get">;
  readonly tasks: TaskTable;
  readonly conversations: ConversationTable;
  readonly plans: PlanTable;
  readonly workingMemory: WorkingMemoryTable;
  readonly checkpoints: Pick<WorkspaceCheckpoints, "plan" | "restore">;
  /** Indexes the title of a new task. */
  readonly search: { indexTitle(task: Pick<TaskRow, "number" | "title">): void };
  /** Told of each record that has changed. */
  readonly changes: { changed(taskId: string): void };
}

export interface ForkOptions {
  /** Null: after the last message, without those of a turn in flight. */
  readonly afterMessage: number | null;
  /** Null: a new one. */
  readonly newTaskId: string | null;
}

export interface RewindOptions {
  readonly toMessage: number;
  readonly keep: boolean;
  readonly files: "keep" | "restore";
  readonly dryRun: boolean;
  readonly force: boolean;
}

const PATHS_NAMED = 100;

/** Begins tasks with the messages of others, and takes conversations back to earlier messages. */
export class TaskBranches {
  readonly #parts: TaskBranchParts;

  constructor(parts: TaskBranchParts) {
    this.#parts = parts;
  }

  /** The message of the user that a task's conversation ends with; null when it ends otherwise. */
  lastAsked(taskId: string): UserContent | null {
    const { conversations } = this.#parts;
    const last = conversations.lastUpTo(taskId);
    return last?.role === "user" ? (conversations.contentOf(last) as UserContent) : null;
  }

  /** Throws `NOT_FOUND`, `TASK_EXISTS`, and `TASK_BUSY` for an answer in progress. */
  fork(taskId: string, { afterMessage, newTaskId }: ForkOptions): ForkedTask {
    const { journal, tasks, conversations, search, changes } = this.#parts;
    const known = this.#messageCount(taskId);
    const last = conversations.lastUpTo(taskId);
    const after = this.#forkedAfter(taskId, afterMessage);
    const shown = after === null ? null : conversations.startOf(after);
    const isWhole = after?.id === last?.id;
    const fork = {
      taskId: newTaskId ?? newId("task"),
      prefix: conversations.prefixTo(taskId, after),
      after: shown?.id ?? null,
      messageCount: isWhole ? known : null,
      at: Date.now(),
    };
    let isNew = false;
    journal.commit(() => {
      isNew = tasks.fork(taskId, fork);
      if (!isNew) return;
      this.#setPlan(fork.taskId);
      search.indexTitle(this.#record(fork.taskId));
    });
    if (!isNew) throw new EngineError("TASK_EXISTS", "task_id: there is a task with this id");
    changes.changed(fork.taskId);
    return {
      task_id: fork.taskId,
      parent: { task_id: taskId, after_message: messageIdOf(shown) },
      message_count: this.#messageCount(fork.taskId),
    };
  }

  /**
   * Restores the files first, each in a step that can be repeated, and then moves the conversation in one transaction.
   * So the same call completes a rewind that was killed. Throws `NOT_FOUND`, `TASK_BUSY` and `FILES_CHANGED`.
   */
  async rewind(taskId: string, options: RewindOptions): Promise<Rewound> {
    this.#messageCount(taskId);
    const release = this.#parts.runner.hold(taskId, "rewind");
    try {
      return await this.#rewindHeld(taskId, options);
    } finally {
      release();
    }
  }

  /** The branches of a task that have messages of their own, and the one that its conversation is on. */
  list(taskId: string): readonly TaskBranch[] {
    const { conversations } = this.#parts;
    return conversations
      .branchesOf(taskId)
      .filter(({ isCurrent, first }) => isCurrent || first !== null)
      .map(({ branchId, isCurrent, through, first, createdAt }) => ({
        branch_id: `branch_${branchId}`,
        is_current: isCurrent,
        after_message: conversations.shownId(through),
        first_message: conversations.shownId(first),
        created_at: isoTime(createdAt),
      }));
  }

  async #rewindHeld(taskId: string, { toMessage, keep, files, dryRun, force }: RewindOptions): Promise<Rewound> {
    const { conversations } = this.#parts;
    const message = this.#find(taskId, toMessage, "to_message");
    const end = keep ? conversations.endOf(taskId, message) : message.id - 1;
    const last = conversations.lastUpTo(taskId, end);
    const restored = files === "keep" ? null : await this.#restore(taskId, last?.id ?? 0, { dryRun, force });
    return {
      task_id: taskId,
      dry_run: dryRun,
      last_message: messageIdOf(last === null ? null : conversations.startOf(last)),
      left_branch: this.#leave(taskId, last, { dryRun }),
      files: restored,
    };
  }

  async #restore(
    taskId: string,
    above: number,
    { dryRun, force }: Pick<RewindOptions, "dryRun" | "force">,
  ): Promise<RestoredFiles> {
    const { checkpoints, conversations } = this.#parts;
    const plan = await checkpoints.plan(conversations.rangesAfter(taskId, above));
    const { restorable, changedByOthers } = plan;
    if (dryRun) return restoredFiles(plan, []);
    if (changedByOthers.length > 0 && !force) {
      const paths = changedByOthers.slice(0, PATHS_NAMED).map(({ path }) => path);
      const message = `something else has changed ${changedByOthers.length} of the files since; repeat with force to restore them too`;
      throw new EngineError("FILES_CHANGED", message, { paths, count: changedByOthers.length });
    }
    return restoredFiles(plan, await checkpoints.restore(taskId, [...restorable, ...changedByOthers]));
  }

  /** Moves the conversation to a branch of its own, unless it ends there. Returns the branch that it leaves. */
  #leave(taskId: string, last: PlacedMessage | null, { dryRun }: Pick<RewindOptions, "dryRun">): string | null {
    const { journal, tasks, conversations, changes } = this.#parts;
    const end = conversations.lastUpTo(taskId);
    if (end === null || end.id === last?.id) return null;
    if (!dryRun) {
      journal.commit(() => {
        tasks.continueFrom(taskId, conversations.prefixTo(taskId, last), Date.now());
        this.#setPlan(taskId);
      });
      changes.changed(taskId);
    }
    return `branch_${end.branchId}`;
  }

  /** The plan as it was at the end of the conversation. */
  #setPlan(taskId: string): void {
    const { plans, workingMemory } = this.#parts;
    const entry = workingMemory.lastOfConversation(taskId, `${PLAN_HEADING}\n`);
    plans.set(taskId, entry === null ? [] : planOfEntry(entry));
  }

  #forkedAfter(taskId: string, afterMessage: number | null): PlacedMessage | null {
    const { conversations, slots } = this.#parts;
    const running = slots.get(taskId)?.turnId ?? "";
    const opening = running === "" ? null : conversations.openingOf(taskId, running);
    if (afterMessage === null) return conversations.lastUpTo(taskId, opening === null ? undefined : opening.id - 1);
    const message = this.#find(taskId, afterMessage, "after_message");
    if (message.role !== "user" && message.turnId === running) {
      const busy = "after_message: its turn is in flight; fork after another message, or when the turn has ended";
      throw new EngineError("TASK_BUSY", busy, { turn_id: running });
    }
    return conversations.lastUpTo(taskId, conversations.endOf(taskId, message));
  }

  #find(taskId: string, id: number, field: string): PlacedMessage {
    const message = this.#parts.conversations.find(taskId, id);
    if (message === null)
      throw new EngineError("NOT_FOUND", `${field}: the conversation of this task has no message with this id`);
    return message;
  }

  #messageCount(taskId: string): number {
    return this.#record(taskId).messageCount;
  }

  #record(taskId: string): TaskRow {
    const task = this.#parts.tasks.find(taskId);
    if (task === null) throw new EngineError("NOT_FOUND", "no task has this id");
    return task;
  }
}

const messageIdOf = (message: PlacedMessage | null): string | null => (message === null ? null : `msg_${message.id}`);
