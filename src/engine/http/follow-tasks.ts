import type { Request, Response } from "express";
import type { TaskEvent } from "../../contract/engine/task.ts";
import { inBackground } from "../../shared/background.ts";
import { isoTime } from "../../shared/clock.ts";
import { oneLine } from "../../shared/one-line.ts";
import type { Followers } from "../sleep/followers.ts";
import type { TaskChanges } from "../tasks/task-changes.ts";
import type { TaskList, TaskQuery } from "../tasks/task-list.ts";
import { ALL_TASKS, type EventJournal } from "../turns/event-journal.ts";
import type { FollowerLimit } from "../turns/follower-limit.ts";
import { EventStream, type StreamLimits } from "./event-stream.ts";

export interface FollowTasksParts {
  readonly taskList: TaskList;
  readonly taskChanges: TaskChanges;
  readonly journal: EventJournal;
  readonly followers: Followers;
  readonly followerLimit: FollowerLimit;
  readonly limits: StreamLimits;
}

/** The events of turns that change the record of their task. */
const CHANGING: ReadonlySet<string> = new Set(["thread_lifecycle", "hitl_request", "hitl_resolved"]);

/**
 * Streams the first page of a list of tasks, then each task that changes, once for all changes of one turn of the event
 * loop. Nothing is stored for it: a reader that connects again gets the first page again.
 */
export async function followTasks(
  { taskList, taskChanges, journal, followers, followerLimit, limits }: FollowTasksParts,
  { request, response }: { readonly request: Request; readonly response: Response },
  { query, limit }: { readonly query: TaskQuery; readonly limit: number },
): Promise<void> {
  followerLimit.acquire(ALL_TASKS, response);
  const stream = EventStream.open(response, {
    withIds: false,
    limits,
    wants: () => true,
    cut: () => isoTime(Date.now()),
  });
  const changed = new Set<string>();
  let scheduled: NodeJS.Immediate | undefined;
  const write = (...events: readonly TaskEvent[]) =>
    stream.write(events.map(({ event, data }) => ({ type: event, data: oneLine(data), seq: null })));
  const flush = () => {
    scheduled = undefined;
    if (stream.isBackedUp) return;
    const taskIds = [...changed];
    changed.clear();
    write(...taskIds.map((taskId) => eventOf(taskList, taskId, query)));
    stream.upToDate = !stream.isBackedUp;
    // The set of changed tasks waits until a slow reader has read.
    if (stream.isBackedUp) inBackground("wait for a slow reader", stream.drained().then(flush));
  };
  const note = (taskId: string) => {
    if (query.permits?.(taskId) === false) return;
    changed.add(taskId);
    scheduled ??= setImmediate(flush);
  };
  const unsubscribe = [
    taskChanges.subscribe(note),
    journal.subscribe(ALL_TASKS, (rows) => {
      for (const { type, taskId } of rows) if (CHANGING.has(type)) note(taskId);
    }),
  ];
  followers.add(response, {
    socket: request.socket,
    get isIdle() {
      return stream.upToDate && changed.size === 0 && journal.flush();
    },
    sleep: () => stream.sleep(journal.last.seq),
  });
  const { items } = taskList.page(query, { after: null, limit });
  write(...items.map((data) => ({ event: "task", data }) as const), {
    event: "heartbeat",
    data: { now: isoTime(Date.now()) },
  });
  stream.upToDate = true;
  try {
    await stream.over();
  } finally {
    for (const undo of unsubscribe) undo();
    clearImmediate(scheduled);
  }
}

function eventOf(taskList: TaskList, taskId: string, query: TaskQuery): TaskEvent {
  const data = taskList.find(taskId);
  return data !== null && matches(data, query)
    ? { event: "task", data }
    : { event: "task_removed", data: { task_id: taskId } };
}

const matches = (
  { archived, agent, metadata }: Extract<TaskEvent, { event: "task" }>["data"],
  query: TaskQuery,
): boolean =>
  (query.archived ?? archived) === archived &&
  (query.agent ?? agent) === agent &&
  Object.entries(query.metadata ?? {}).every(([key, value]) => metadata[key] === value);
