import type { OrchdError, TaskRecord } from "@orchd/client";
import { useEffect, useState } from "preact/hooks";
import { asProblem } from "../parts/problem.ts";
import { engineCalls } from "../session/clients.ts";
import { session } from "../session/session.ts";
import { epoch } from "./connection.ts";
import { oncePerFrame } from "./follow-turn.ts";
import { type LiveTasks, followSharedTasks } from "./shared-tasks.ts";

/** Tasks of the first page. The search finds older ones. */
export const TASKS_SHOWN = 200;

export interface TaskList {
  /** By their ids; null until the first page was read. */
  readonly tasks: ReadonlyMap<string, TaskRecord> | null;
  /** The ids of those that have left the list since. */
  readonly removed: ReadonlySet<string>;
  readonly problem: OrchdError | null;
}

const UNREAD: TaskList = { tasks: null, removed: new Set(), problem: null };

/** The latest tasks of an engine, kept up to date. */
export function useTasks(engineId: string, archived: "true" | "false" | "any"): TaskList {
  const [list, setList] = useState<{ readonly key: string; readonly list: TaskList }>({ key: "", list: UNREAD });
  const key = `${engineId} ${archived}`;
  useEffect(() => {
    const abort = new AbortController();
    let live: LiveTasks | null = null;
    const publish = oncePerFrame(() => {
      if (live !== null)
        setList({ key, list: { tasks: new Map(live.tasks), removed: new Set(live.removed), problem: null } });
    });
    followSharedTasks({
      name: `orchd-tasks ${sessionId()} ${key}`,
      open: (signal, onRetry) => engineCalls(engineId).followTasks({ archived, limit: TASKS_SHOWN, onRetry, signal }),
      signal: abort.signal,
      changed(now) {
        live = now;
        publish();
      },
    }).catch((error: unknown) => {
      if (abort.signal.aborted) return;
      setList((known) => ({ key, list: { ...(known.key === key ? known.list : UNREAD), problem: asProblem(error) } }));
    });
    return () => {
      abort.abort();
      publish.cancel();
    };
  }, [key, epoch.value]);
  // A list of another engine is never shown.
  return list.key === key ? list.list : UNREAD;
}

const sessionId = (): string => (typeof session.value === "object" ? (session.value?.id ?? "") : "");
