import type { OrchdError, TaskRecord } from "@orchd/client";
import { useEffect, useState } from "preact/hooks";
import { asProblem } from "../parts/problem.ts";
import { engineCalls } from "../session/clients.ts";
import { epoch } from "./connection.ts";
import { oncePerFrame } from "./follow-turn.ts";

/** Tasks of the first page. The search finds older ones. */
export const TASKS_SHOWN = 200;

export interface TaskList {
  /** By their ids; null until the first page was read. */
  readonly tasks: ReadonlyMap<string, TaskRecord> | null;
  readonly problem: OrchdError | null;
}

/** The latest tasks of an engine, kept up to date. */
export function useTasks(engineId: string, archived: "true" | "false"): TaskList {
  const [list, setList] = useState<TaskList>({ tasks: null, problem: null });
  useEffect(() => {
    const abort = new AbortController();
    let shown = new Map<string, TaskRecord>();
    // Tasks of a page that is not complete yet. One that is missing in it may have been deleted meanwhile.
    let page: Map<string, TaskRecord> | null = new Map();
    const publish = oncePerFrame(() => setList({ tasks: new Map(shown), problem: null }));
    const onRetry = () => (page = new Map());
    const read = async () => {
      const options = { archived, limit: TASKS_SHOWN, onRetry, signal: abort.signal } as const;
      for await (const event of engineCalls(engineId).followTasks(options)) {
        const target = page ?? shown;
        if (event.event === "task") target.set(event.data.task_id, event.data);
        else if (event.event === "task_removed") target.delete(event.data.task_id);
        else if (page !== null) [shown, page] = [page, null];
        else continue;
        if (page === null) publish();
      }
    };
    read().catch((error: unknown) => {
      if (!abort.signal.aborted) setList(({ tasks }) => ({ tasks, problem: asProblem(error) }));
    });
    return () => {
      abort.abort();
      publish.cancel();
    };
  }, [engineId, archived, epoch.value]);
  return list;
}
