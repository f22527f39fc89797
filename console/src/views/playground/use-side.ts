import type { EngineClient, TaskRecord } from "@orchd/client";
import { useEffect, useState } from "preact/hooks";
import { epoch } from "../../live/connection.ts";
import { oncePerFrame } from "../../live/follow-turn.ts";
import { useResource } from "../../live/resource.ts";
import type { TaskList } from "../../live/use-tasks.ts";
import { notify } from "../../parts/notices.tsx";
import { asProblem } from "../../parts/problem.ts";
import { Conversation } from "./conversation.ts";
import { isRunning } from "./exchange.ts";

/** One conversation that is shown. Two of them are compared. */
export interface Side {
  readonly task: string;
  /** Null before its first turn. */
  readonly record: TaskRecord | null;
  readonly conversation: Conversation;
  readonly isBusy: boolean;
  readonly reload: () => void;
}

/** Reads and follows a conversation. Null without one, and before its first frame. */
export function useSide(calls: EngineClient, list: TaskList, task: string | null): Side | null {
  const listed = task === null ? undefined : list.tasks?.get(task);
  // A task that is archived, or older than those of the list.
  const read = useResource(
    async (signal) => (task === null || listed !== undefined ? null : readTask(() => calls.task(task, { signal }))),
    [task, listed === undefined],
  );
  const record = listed ?? read.data;
  const conversation = useConversation(calls, task, record);
  if (task === null || conversation === null) return null;
  return { task, record, conversation, isBusy: conversation.exchanges.some(isRunning), reload: read.reload };
}

/** The stored conversation, followed by live events. */
function useConversation(calls: EngineClient, taskId: string | null, record: TaskRecord | null): Conversation | null {
  const [conversation, setConversation] = useState<Conversation | null>(null);
  const [, setVersion] = useState(0);
  useEffect(() => {
    if (taskId === null) return setConversation(null);
    const changed = oncePerFrame(() => setVersion((version) => version + 1));
    const opened = new Conversation({ calls, taskId, changed });
    setConversation(opened);
    return () => {
      opened.close();
      changed.cancel();
    };
  }, [calls, taskId]);
  useEffect(() => {
    // At first, after each lost connection, and when the engine or another client goes on with it.
    conversation?.refresh().catch((error: unknown) => {
      if (!conversation.isClosed) notify("problem", asProblem(error).message);
    });
  }, [conversation, epoch.value, record?.last_active_at, record?.message_count, record?.state]);
  return conversation?.taskId === taskId ? conversation : null;
}

/** Null for a task that has no turn yet. */
async function readTask(read: () => Promise<TaskRecord>): Promise<TaskRecord | null> {
  try {
    return await read();
  } catch (error) {
    if (asProblem(error).code === "NOT_FOUND") return null;
    throw error;
  }
}
