import type { TaskEvent, TaskRecord } from "@orchd/client";

/** What the reading tab passes on. `page`: the whole list, at first, after a lost connection and for a tab that joins. */
type Change =
  | { readonly type: "page"; readonly tasks: readonly TaskRecord[] }
  | { readonly type: "task"; readonly task: TaskRecord }
  | { readonly type: "removed"; readonly taskId: string };
/** From a tab that has no list yet. */
interface Joined {
  readonly type: "joined";
}

export interface LiveTasks {
  /** By their ids. */
  readonly tasks: ReadonlyMap<string, TaskRecord>;
  readonly removed: ReadonlySet<string>;
}

interface Follower {
  /** The same in every tab that shows this list. */
  readonly name: string;
  readonly open: (signal: AbortSignal, onRetry: () => void) => AsyncIterable<TaskEvent>;
  readonly signal: AbortSignal;
  /** Called with the list after each change. It is one object, which changes. */
  readonly changed: (list: LiveTasks) => void;
}

/**
 * Follows a list of tasks until the signal ends, or rejects when it cannot be read. The tabs that show the same list share
 * one stream, for the reasons that `followShared` has: the tab that holds the lock reads it.
 */
export async function followSharedTasks({ name, open, signal, changed }: Follower): Promise<void> {
  const channel = new BroadcastChannel(name);
  // The types of the browser say that locks are always there.
  const locks = navigator.locks as LockManager | undefined;
  const removed = new Set<string>();
  let tasks: Map<string, TaskRecord> | null = null;
  let isReader = false;
  const apply = (change: Change) => {
    if (change.type === "page") {
      tasks = new Map(change.tasks.map((task) => [task.task_id, task]));
      removed.clear();
    } else if (tasks === null) return;
    else if (change.type === "task") {
      tasks.set(change.task.task_id, change.task);
      removed.delete(change.task.task_id);
    } else {
      tasks.delete(change.taskId);
      removed.add(change.taskId);
    }
    changed({ tasks, removed });
  };
  const pass = (change: Change) => {
    apply(change);
    if (locks !== undefined) channel.postMessage(change);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<Change | Joined>) => {
    if (data.type !== "joined") apply(data);
    else if (isReader && tasks !== null) channel.postMessage({ type: "page", tasks: [...tasks.values()] });
  });
  const read = async () => {
    isReader = true;
    for await (const change of changesOf(open, signal)) pass(change);
  };
  try {
    channel.postMessage({ type: "joined" } satisfies Joined);
    await (locks === undefined ? read() : locks.request(name, { signal }, read));
  } finally {
    channel.close();
  }
}

/** The tasks up to the first heartbeat are a page. A lost connection begins with one again. */
async function* changesOf(open: Follower["open"], signal: AbortSignal): AsyncGenerator<Change> {
  // One that is missing in a page that is not complete may have been deleted meanwhile.
  let page: TaskRecord[] | null = [];
  for await (const { event, data } of open(signal, () => (page = []))) {
    if (event === "task_removed") {
      if (page === null) yield { type: "removed", taskId: data.task_id };
      else page = page.filter(({ task_id: id }) => id !== data.task_id);
    } else if (event === "task") {
      if (page === null) yield { type: "task", task: data };
      else page.push(data);
    } else if (page !== null) {
      yield { type: "page", tasks: page };
      page = null;
    }
  }
}
