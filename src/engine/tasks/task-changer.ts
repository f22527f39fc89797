import { setImmediate as nextTurn } from "node:timers/promises";
import type { ClientTool } from "../../contract/engine/client-tool.ts";
import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import {
  type ChangeTaskRequest,
  type CreateTaskRequest,
  TASK_METADATA,
  type TaskDefaults,
  type TaskDeleted,
} from "../../contract/engine/task.ts";
import { inBackground } from "../../shared/background.ts";
import { newId } from "../../shared/ids.ts";
import type { Logger } from "../../shared/logger.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { Forgotten, TaskForgetting } from "../memory/forget-task.ts";
import type { ArtifactTable } from "../store/artifact-table.ts";
import type { Store } from "../store/open-store.ts";
import type { StoredContent } from "../store/checkpoint-contents.ts";
import type { RemovalStep, RemovedRows, TaskRemoval } from "../store/task-removal.ts";
import type { TaskTable } from "../store/tasks.ts";
import { MAX_TRANSACTION_MS } from "../memory/write-lane.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { Inbox } from "../turns/inbox.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { type KeptChanges, changeRemoval, forgetUnused } from "./change-removal.ts";
import type { MessageSearch } from "./message-search.ts";
import type { TaskChanges } from "./task-changes.ts";

/** What of the catalog the defaults of a task name. */
interface CatalogNames {
  readonly hasAgent: (name: string) => boolean;
  /** Throws for the first tool that cannot be one of the client, named by its field. */
  readonly checkTools: (tools: readonly ClientTool[], list: string) => void;
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
  readonly kept: KeptChanges & { readonly artifacts: Pick<ArtifactTable, "digestsOf"> };
  readonly search: Pick<MessageSearch, "indexTitle">;
  readonly runner: Pick<TurnRunner, "hold">;
  readonly inbox: Pick<Inbox, "clear">;
  readonly changes: TaskChanges;
  readonly names: CatalogNames;
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

  /** Returns the id. Throws `TASK_EXISTS`, `NOT_FOUND` for an agent and `INVALID_REQUEST`. */
  create({ task_id: taskId = newId("task"), title, metadata = {}, defaults = {} }: CreateTaskRequest): string {
    const { journal, tasks, search, removal, changes } = this.#parts;
    this.#check(defaults);
    const named = title?.trim() ?? null;
    const { agent = DEFAULT_AGENT } = defaults;
    const task = { taskId, title: named, agent, metadata: mergeMetadata({}, metadata), defaults, at: Date.now() };
    // With the rest of a deleted one would go what this one says.
    if (removal.unfinished.includes(taskId)) throw existingTask();
    let isNew = false;
    journal.commit(() => {
      isNew = tasks.create(task);
      const number = isNew && named !== null ? tasks.find(taskId)?.number : undefined;
      if (number !== undefined && named !== null) search.indexTitle({ number, title: named });
    });
    if (!isNew) throw existingTask();
    changes.changed(taskId);
    return taskId;
  }

  /** Throws `NOT_FOUND` and `INVALID_REQUEST`. */
  change(taskId: string, { title, archived, metadata, defaults }: ChangeTaskRequest): void {
    const { journal, tasks, search, changes } = this.#parts;
    const task = tasks.find(taskId);
    if (task === null) throw unknownTask();
    const merged = metadata === undefined ? undefined : mergeMetadata(task.metadata, metadata);
    if (defaults !== undefined) this.#check(defaults);
    const named = title === undefined ? {} : ({ title: title.trim(), titleSource: "user" } as const);
    journal.commit(() => {
      tasks.change(taskId, { ...named, archived, defaults, ...(merged && { metadata: merged }) });
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
    const { kept } = this.#parts;
    if (tasks.find(taskId) === null) throw unknownTask();
    const release = runner.hold(taskId, "deletion");
    const done: { forgotten?: Forgotten; unused?: readonly StoredContent[] } = {};
    try {
      // Pending events are stored first, so that none comes after their task was deleted.
      if (!journal.flush())
        throw new EngineError("INTERNAL_ERROR", "the last events cannot be stored; nothing is deleted");
      // Ends the streams that wait for a turn.
      inbox.clear(taskId);
      journal.commit(() => {
        if (forget) done.forgotten = forgetting.forget(taskId);
        const published = kept.artifacts.digestsOf(taskId);
        removal.begin(taskId);
        done.unused = forgetUnused(kept, published);
      });
    } catch (error) {
      release();
      throw error;
    }
    changes.changed(taskId);
    kept.recorder.contents.removeFiles(done.unused ?? []);
    const { kept: keptMessages, files: mentioned, ...deleted } = await this.#finish(taskId, release);
    return {
      task_id: taskId,
      deleted: { ...deleted, attachments: await files.removeUnused(mentioned) },
      kept_messages: keptMessages,
      forgotten: done.forgotten ?? null,
    };
  }

  #check({ agent, client_tools: tools = [] }: TaskDefaults): void {
    const { hasAgent, checkTools } = this.#parts.names;
    if (agent !== undefined && !hasAgent(agent)) throw unknownAgent("defaults.agent", agent);
    checkTools(tools, "defaults.client_tools");
  }

  /** Continues the deletions that a killed engine had begun. Their tasks are held at once. */
  async finishDeletions(): Promise<void> {
    const { removal, runner } = this.#parts;
    const held = removal.unfinished.map((taskId) => ({ taskId, release: runner.hold(taskId, "deletion") }));
    for (const { taskId, release } of held) await this.#finish(taskId, release).catch(() => undefined);
  }

  /** Removes the rest of a task, and releases it then: with it would go what is said anew under its id. */
  async #finish(taskId: string, release: () => void): Promise<RemovedRows> {
    const { logger } = this.#parts;
    try {
      const removed = await this.#inTransactions(taskId);
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

  *#steps(taskId: string, unused: StoredContent[]): Generator<RemovalStep, RemovedRows> {
    const { removal, kept } = this.#parts;
    yield* changeRemoval(kept, taskId, unused);
    return yield* removal.steps(taskId);
  }

  /** Of a few milliseconds each, with the rest of the engine between them. */
  async #inTransactions(taskId: string): Promise<RemovedRows> {
    const { store, kept } = this.#parts;
    const unused: StoredContent[] = [];
    const steps = this.#steps(taskId, unused);
    for (;;) {
      await nextTurn();
      const until = performance.now() + MAX_TRANSACTION_MS;
      const result = store.transaction(() => {
        for (;;) {
          const step = steps.next();
          if (step.done === true) return step.value;
          step.value();
          if (performance.now() >= until) return null;
        }
      });
      kept.recorder.contents.removeFiles(unused.splice(0));
      if (result !== null) return result;
    }
  }
}

const existingTask = (): EngineError => new EngineError("TASK_EXISTS", "task_id: there is a task with this id");

export const unknownAgent = (field: string, name: string): EngineError =>
  new EngineError("NOT_FOUND", `${field}: there is no agent named ${name}; GET /assets/catalog lists the agents`);

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
