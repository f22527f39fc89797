import * as routes from "./engine-routes.ts";
import { type CallOptions, type RetryOptions, type Service, openStream, withRetries } from "./http-call.ts";
import type { TaskEvent } from "./records.ts";
import { resumableStream } from "./resumable-stream.ts";
import { type Calls, type OptionsOf, requestOf } from "./route.ts";
import { readFrames } from "./sse-frames.ts";
import { LinkedAbort } from "./timeouts.ts";
import { dataOf } from "./turn-event.ts";

export interface FollowTasksOptions
  extends Omit<routes.ListTasksParams, "q" | "cursor" | "follow">, CallOptions, Pick<RetryOptions, "onRetry"> {}

/** The calls of an engine's tasks, which are conversations. */
export const taskCalls = (service: Service, { call }: Calls) => ({
  /** One page of tasks, the latest activity first. */
  listTasks: (given: Omit<OptionsOf<typeof routes.listTasks>, "follow"> = {}) => call(routes.listTasks, given),

  task: (taskId: string, given: OptionsOf<typeof routes.showTask, "taskId"> = {}) =>
    call(routes.showTask, { ...given, taskId }),

  /** Renames or archives a task, or changes its metadata. */
  changeTask: (taskId: string, given: OptionsOf<typeof routes.changeTask, "taskId">) =>
    call(routes.changeTask, { ...given, taskId }),

  /** Deletes a task with its messages; with `forget` also what memory has learned from it alone. */
  deleteTask: (taskId: string, given: OptionsOf<typeof routes.deleteTask, "taskId"> = {}) =>
    call(routes.deleteTask, { ...given, taskId }),

  /** The last messages of a task, or those before or after one. */
  taskMessages: (taskId: string, given: OptionsOf<typeof routes.listMessages, "taskId"> = {}) =>
    call(routes.listMessages, { ...given, taskId }),

  /**
   * The first page of the list, then each task that changes. After a lost connection the page comes again. The events end
   * when the engine sleeps, unless they come through the daemon's gateway.
   */
  followTasks: (given: FollowTasksOptions = {}): AsyncGenerator<TaskEvent> => followTasks(service, given),
});

async function* followTasks(
  service: Service,
  { signal, onRetry, ...query }: FollowTasksOptions,
): AsyncGenerator<TaskEvent> {
  const abort = new LinkedAbort(signal);
  let isAsleep = false;
  const open = async () => {
    isAsleep = false;
    const request = requestOf(routes.listTasks, { ...query, follow: true });
    const { chunks } = await openStream(service, { ...request, signal: abort.signal });
    return readTaskEvents(chunks, () => (isAsleep = true));
  };
  try {
    yield* resumableStream<TaskEvent>({
      open: () => withRetries(service, { signal: abort.signal, onRetry }, open),
      reopen: open,
      advance() {
        isAsleep = false;
        return "new";
      },
      isLast: () => false,
      isOver: () => isAsleep,
      limits: service.limits,
      signal: abort.signal,
      onRetry,
    });
  } finally {
    abort.dispose();
  }
}

async function* readTaskEvents(chunks: AsyncIterable<Uint8Array>, onSleep: () => void): AsyncGenerator<TaskEvent> {
  const onComment = (comment: string) => {
    if (comment.trimStart().startsWith("sleeping ")) onSleep();
  };
  for await (const frame of readFrames(chunks, onComment)) {
    const { type } = frame;
    if (type === "task" || type === "task_removed" || type === "heartbeat")
      yield { event: type, data: dataOf(frame) } as unknown as TaskEvent;
  }
}
