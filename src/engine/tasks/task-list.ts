import type { TaskDefaults, TaskPage, TaskRecord } from "../../contract/engine/task.ts";
import { isoTime } from "../../shared/clock.ts";
import type { HitlTable } from "../store/hitl-requests.ts";
import type { InboxTable } from "../store/inbox-table.ts";
import type { TaskFilter, TaskPlace, TaskRow, TaskTable } from "../store/tasks.ts";
import type { TaskSlots } from "../turns/task-slots.ts";
import type { MessageSearch } from "./message-search.ts";
import { messageId } from "./public-id.ts";

/** Tasks that a page of a search looks into. After that it ends, perhaps with fewer than its limit. */
const MAX_TRIED = 500;

export interface TaskQuery extends TaskFilter {
  /** Words that are in one message of the task, or in its title. */
  readonly words?: string | undefined;
  /** Leaves out other tasks. Undefined: none. */
  readonly permits?: ((taskId: string) => boolean) | undefined;
}

interface Parts {
  readonly tasks: TaskTable;
  readonly hitl: HitlTable;
  readonly slots: Pick<TaskSlots, "get">;
  readonly inbox: Pick<InboxTable, "tasks">;
  readonly search: Pick<MessageSearch, "find">;
}

/** The tasks of an engine, the latest activity first. */
export class TaskList {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  page(
    { words, permits = () => true, ...filter }: TaskQuery,
    { after, limit }: { readonly after: TaskPlace | null; readonly limit: number },
  ): TaskPage {
    const { tasks, search } = this.#parts;
    const matching = words === undefined ? ALL : search.find(words);
    if (matching === null) return { items: [], next_cursor: null };
    const shown: TaskRow[] = [];
    let last: TaskRow | undefined;
    let tried = 0;
    for (const task of tasks.after(after, filter, matching.only)) {
      if (shown.length === limit || (matching.only === null && words !== undefined && tried === MAX_TRIED))
        return { items: this.#records(shown), next_cursor: cursorOf(last) };
      tried++;
      last = task;
      if (permits(task.taskId) && matching.fits(task)) shown.push(task);
    }
    return { items: this.#records(shown), next_cursor: null };
  }

  /** The ids of tasks that begin so, the latest activity first. */
  withPrefix(prefix: string, limit: number): readonly string[] {
    return this.#parts.tasks.withPrefix(prefix, limit);
  }

  /** Null for an unknown task. */
  find(taskId: string): TaskRecord | null {
    const row = this.#parts.tasks.find(taskId);
    return row === null ? null : (this.#records([row])[0] ?? null);
  }

  /** What messages of a task have that do not say it themselves. */
  defaultsOf(taskId: string): TaskDefaults {
    return this.#parts.tasks.defaultsOf(taskId);
  }

  #records(rows: readonly TaskRow[]): readonly TaskRecord[] {
    if (rows.length === 0) return [];
    const open = this.#parts.hitl.openByTask();
    const queued = new Set(this.#parts.inbox.tasks());
    return rows.map((row) => ({
      task_id: row.taskId,
      title: row.title,
      title_source: row.titleSource,
      agent: row.agent,
      created_at: isoTime(row.createdAt),
      last_active_at: isoTime(row.lastActiveAt),
      message_count: row.messageCount,
      state: this.#stateOf(row.taskId, queued),
      open_requests: open.get(row.taskId) ?? 0,
      usage: {
        input_tokens: row.inputTokens,
        output_tokens: row.outputTokens,
        cache_hit_tokens: row.cacheHitTokens,
      },
      archived: row.archived === 1,
      metadata: row.metadata,
      parent:
        row.parentTaskId === null
          ? null
          : {
              task_id: row.parentTaskId,
              after_message: row.parentMessage === null ? null : messageId(row.parentMessage),
            },
    }));
  }

  #stateOf(taskId: string, queued: ReadonlySet<string>): TaskRecord["state"] {
    const slot = this.#parts.slots.get(taskId);
    if (slot === undefined) return queued.has(taskId) ? "queued" : "idle";
    return slot.state === "waiting_for_human" ? "waiting" : "running";
  }
}

const ALL = { only: null, fits: () => true } as const;

const cursorOf = (last: TaskPlace | undefined): string | null =>
  last === undefined ? null : `${last.lastActiveAt}.${last.number}`;

/** Null for a text that is no cursor. */
export function placeOf(cursor: string): TaskPlace | null {
  const [, at, number] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  return at === undefined ? null : { lastActiveAt: Number(at), number: Number(number) };
}
