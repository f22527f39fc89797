import { type EngineRecord, type TaskRecord } from "@orchd/client";
import { useMemo, useState } from "preact/hooks";
import { engineById } from "../../live/engine.ts";
import { useResource } from "../../live/resource.ts";
import { useTasks } from "../../live/use-tasks.ts";
import { asProblem } from "../../parts/problem.ts";
import { address } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import type { ViewProps } from "../view.ts";
import { Chat } from "./chat.tsx";
import { TaskHeader } from "./task-header.tsx";
import { TaskListView } from "./task-list.tsx";

/** The conversations of an engine, and the one that the address names. */
export const Playground = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  if (engine === undefined) return null;
  return engine === null ? <NoEngine /> : <Conversations key={engine.id} engine={engine} />;
};

const Conversations = ({ engine: { id, url } }: { readonly engine: EngineRecord }) => {
  const calls = useMemo(() => engineCalls(id), [id]);
  const [isArchive, setArchive] = useState(false);
  const list = useTasks(id, isArchive ? "true" : "false");
  const named = address.value.query.get("task");
  // The task of the address, or a new one until the address changes.
  const task = useMemo(() => named ?? `playground-${Date.now().toString(36)}`, [address.value]);
  const listed = list.tasks?.get(task);
  // A task that is archived, or older than those of the list.
  const read = useResource(
    async (signal) => (listed === undefined ? readTask(() => calls.task(task, { signal })) : null),
    [task, listed === undefined],
  );
  const record = listed ?? read.data;
  return (
    <div class="playground">
      <TaskListView engine={id} current={task} calls={calls} list={list} isArchive={isArchive} onArchive={setArchive} />
      <div class="chat">
        <TaskHeader engine={id} calls={calls} task={task} record={record} onChanged={read.reload} />
        <Chat key={task} engine={id} url={url} calls={calls} task={task} record={record} />
      </div>
    </div>
  );
};

/** Null for a task that has no turn yet. */
async function readTask(read: () => Promise<TaskRecord>): Promise<TaskRecord | null> {
  try {
    return await read();
  } catch (error) {
    if (asProblem(error).code === "NOT_FOUND") return null;
    throw error;
  }
}
