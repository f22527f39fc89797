import { type ChangeTaskRequest, TASK_METADATA, type TaskDeleted } from "../../contract/engine/task.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { Forgotten, TaskForgetting } from "../memory/forget-task.ts";
import type { ArtifactTable } from "../store/artifact-table.ts";
import type { EventTable } from "../store/events.ts";
import type { RemovedRows, TaskRemoval } from "../store/task-removal.ts";
import type { TaskTable } from "../store/tasks.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { Inbox } from "../turns/inbox.ts";
import type { TaskSlots } from "../turns/task-slots.ts";
import { busy } from "../turns/turn-runner.ts";
import type { MessageSearch } from "./message-search.ts";
import type { TaskChanges } from "./task-changes.ts";

/** What calls of tasks changed in the workspace, and the contents of files that are kept for rewinds. */
interface Checkpoints {
  readonly changes: { removeTask(taskId: string): readonly string[]; refersTo(digest: string): boolean };
  readonly recorder: { readonly contents: { remove(digests: readonly string[]): void } };
}

interface Parts {
  readonly journal: EventJournal;
  readonly events: EventTable;
  readonly tasks: TaskTable;
  readonly removal: TaskRemoval;
  readonly forgetting: TaskForgetting;
  readonly checkpoints: Checkpoints;
  readonly artifacts: Pick<ArtifactTable, "digestsOf" | "refersTo">;
  readonly search: Pick<MessageSearch, "indexTitle">;
  readonly slots: Pick<TaskSlots, "get">;
  readonly inbox: Pick<Inbox, "clear">;
  readonly changes: TaskChanges;
  readonly files: {
    /** The names of files that a task mentions, each with the time of its last message. */
    ofTask(taskId: string): ReadonlyMap<string, number>;
    /** Deletes those that no other task mentions. Returns how many. */
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

  /** `forget`: also what memory has learned from this task alone. Throws `NOT_FOUND` and `TASK_BUSY`. */
  async delete(taskId: string, { forget }: { readonly forget: boolean }): Promise<TaskDeleted> {
    const { journal, events, tasks, removal, forgetting, slots, inbox, changes, files } = this.#parts;
    const { checkpoints, artifacts } = this.#parts;
    if (tasks.find(taskId) === null) throw unknownTask();
    const holder = slots.get(taskId);
    if (holder !== undefined) throw busy(holder);
    const attached = files.ofTask(taskId);
    // Ends the streams that wait for a turn.
    inbox.clear(taskId);
    const done: { removed?: RemovedRows; events?: number; forgotten?: Forgotten; contents?: readonly string[] } = {};
    // Pending events are stored first, so that none comes after their task was deleted.
    if (!journal.flush())
      throw new EngineError("INTERNAL_ERROR", "the last events cannot be stored; nothing is deleted");
    journal.commit(() => {
      done.events = events.removeTask(taskId);
      if (forget) done.forgotten = forgetting.forget(taskId);
      // While its branches still tell which messages a fork shares.
      const contents = new Set([...checkpoints.changes.removeTask(taskId), ...artifacts.digestsOf(taskId)]);
      done.removed = removal.remove(taskId);
      done.contents = [...contents].filter((one) => !checkpoints.changes.refersTo(one) && !artifacts.refersTo(one));
    });
    checkpoints.recorder.contents.remove(done.contents ?? []);
    changes.changed(taskId);
    const { kept = 0, ...rows } = done.removed ?? {};
    return {
      task_id: taskId,
      deleted: { ...rows, events: done.events ?? 0, attachments: await files.removeUnused(attached) },
      kept_messages: kept,
      forgotten: done.forgotten ?? null,
    };
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
