import { setImmediate as nextTurn } from "node:timers/promises";
import { type ChangeTaskRequest, TASK_METADATA, type TaskDeleted } from "../../contract/engine/task.ts";
import { inBackground } from "../../shared/background.ts";
import type { Logger } from "../../shared/logger.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { Forgotten, TaskForgetting } from "../memory/forget-task.ts";
import type { ArtifactTable } from "../store/artifact-table.ts";
import type { Store } from "../store/open-store.ts";
import type { RemovedRows, TaskRemoval } from "../store/task-removal.ts";
import type { TaskTable } from "../store/tasks.ts";
import { MAX_TRANSACTION_MS } from "../memory/write-lane.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { Inbox } from "../turns/inbox.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import type { MessageSearch } from "./message-search.ts";
import type { TaskChanges } from "./task-changes.ts";

/** What calls of tasks changed in the workspace, and the contents of files that are kept for rewinds. */
interface Checkpoints {
  readonly changes: { removeTask(taskId: string): readonly string[]; refersTo(digest: string): boolean };
  readonly recorder: { readonly contents: { remove(digests: readonly string[]): void } };
}

/** How soon a deletion that could not be stored is tried again. */
const RETRY_MS = 1000;

interface Parts {
  readonly store: Pick<Store, "transaction">;
  readonly logger: Logger;
  readonly journal: EventJournal;
  readonly tasks: TaskTable;
  readonly removal: TaskRemoval;
  readonly forgetting: TaskForgetting;
  readonly checkpoints: Checkpoints;
  readonly artifacts: Pick<ArtifactTable, "digestsOf" | "refersTo">;
  readonly search: Pick<MessageSearch, "indexTitle">;
  readonly runner: Pick<TurnRunner, "hold">;
  readonly inbox: Pick<Inbox, "clear">;
  readonly changes: TaskChanges;
  readonly files: {
    /** Deletes those files that no task mentions. Returns how many. Those of a killed deletion are pruned later. */
    removeUnused(files: ReadonlyMap<string, number>): Promise<number>;
  };
}

/** Changes the records of tasks, and deletes tasks. */
export class TaskChanger {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws `NOT_FOUND` and `INVALID_REQUEST`. */
  change(taskId: string, { title, archived, metadata }: ChangeTaskRequest): void {
    const { journal, tasks, search, changes } = this.#parts;
    const task = tasks.find(taskId);
    if (task === null) throw unknownTask();
    const merged = metadata === undefined ? undefined : mergeMetadata(task.metadata, metadata);
    const named = title === undefined ? {} : ({ title: title.trim(), titleSource: "user" } as const);
    journal.commit(() => {
      tasks.change(taskId, { ...named, archived, ...(merged && { metadata: merged }) });
      if (named.title !== undefined) search.indexTitle({ number: task.number, title: named.title });
    });
    changes.changed(taskId);
  }

  /**
   * `forget`: also what memory has learned from this task alone. One transaction takes the task out of sight; its rows go
   * in steps, which a killed engine continues. Throws `NOT_FOUND`, `TASK_BUSY` and `ENGINE_DRAINING`.
   */
  async delete(taskId: string, { forget }: { readonly forget: boolean }): Promise<TaskDeleted> {
    const { journal, tasks, removal, forgetting, runner, inbox, changes, files } = this.#parts;
    const { checkpoints, artifacts } = this.#parts;
    if (tasks.find(taskId) === null) throw unknownTask();
    const release = runner.hold(taskId, "deletion");
    const done: { forgotten?: Forgotten; contents?: readonly string[] } = {};
    try {
      // Ends the streams that wait for a turn.
      inbox.clear(taskId);
      // Pending events are stored first, so that none comes after their task was deleted.
      if (!journal.flush())
        throw new EngineError("INTERNAL_ERROR", "the last events cannot be stored; nothing is deleted");
      journal.commit(() => {
        if (forget) done.forgotten = forgetting.forget(taskId);
        // While its branches still tell which messages a fork shares.
        const contents = new Set([...checkpoints.changes.removeTask(taskId), ...artifacts.digestsOf(taskId)]);
        removal.begin(taskId);
        done.contents = [...contents].filter((one) => !checkpoints.changes.refersTo(one) && !artifacts.refersTo(one));
      });
    } catch (error) {
      release();
      throw error;
    }
    changes.changed(taskId);
    checkpoints.recorder.contents.remove(done.contents ?? []);
    const { kept, files: mentioned, ...deleted } = await this.#finish(taskId, release);
    return {
      task_id: taskId,
      deleted: { ...deleted, attachments: await files.removeUnused(mentioned) },
      kept_messages: kept,
      forgotten: done.forgotten ?? null,
    };
  }

  /** Continues the deletions that a killed engine had begun. Their tasks are held at once. */
  async finishDeletions(): Promise<void> {
    const { removal, runner } = this.#parts;
    const held = removal.unfinished.map((taskId) => ({ taskId, release: runner.hold(taskId, "deletion") }));
    for (const { taskId, release } of held) await this.#finish(taskId, release).catch(() => undefined);
  }

  /** Removes the rest of a task, and releases it then: with it would go what is said anew under its id. */
  async #finish(taskId: string, release: () => void): Promise<RemovedRows> {
    const { removal, logger } = this.#parts;
    try {
      const removed = await this.#inTransactions(removal.steps(taskId));
      release();
      return removed;
    } catch (error) {
      logger.error({ err: error }, "failed to finish the deletion of a task; retrying");
      const retry = () =>
        inBackground(
          "deletion of a task",
          this.#finish(taskId, release).catch(() => undefined),
        );
      setTimeout(retry, RETRY_MS).unref();
      throw error;
    }
  }

  /** Of a few milliseconds each, with the rest of the engine between them. */
  async #inTransactions(steps: ReturnType<TaskRemoval["steps"]>): Promise<RemovedRows> {
    for (;;) {
      await nextTurn();
      const until = performance.now() + MAX_TRANSACTION_MS;
      const result = this.#parts.store.transaction(() => {
        for (;;) {
          const step = steps.next();
          if (step.done === true) return step.value;
          step.value();
          if (performance.now() >= until) return null;
        }
      });
      if (result !== null) return result;
    }
  }
}

export const unknownTask = (): EngineError => new EngineError("NOT_FOUND", "no task has this id");

function mergeMetadata(
  stored: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const merged = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(given))
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  if (merged.size > TASK_METADATA.keys)
    throw new InvalidInput("metadata", `expected at most ${TASK_METADATA.keys} keys, with those it has`);
  return Object.fromEntries(merged);
}
