import type { EngineRecord } from "@orchd/client";
import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { engineById } from "../../live/engine.ts";
import { useTasks } from "../../live/use-tasks.ts";
import { address, setQuery } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import type { ViewProps } from "../view.ts";
import { TaskListView } from "./task-list.tsx";
import { Talk } from "./talk.tsx";
import { useSide } from "./use-side.ts";

/** The conversations of an engine, and the one that the address names, or two that are compared. */
export const Playground = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  if (engine === undefined) return null;
  return engine === null ? <NoEngine /> : <Conversations key={engine.id} engine={engine} />;
};

const newTask = () => `playground-${Date.now().toString(36)}`;

const Conversations = ({ engine }: { readonly engine: EngineRecord }) => {
  const { id } = engine;
  const calls = useMemo(() => engineCalls(id), [id]);
  const [isArchive, setArchive] = useState(false);
  const list = useTasks(id, isArchive ? "true" : "false");
  const { query } = address.value;
  const named = query.get("task");
  // The task of the address, or a new one until the address names one.
  const task = useMemo(() => named ?? newTask(), [named, named === null && query.size === 0 ? address.value : null]);
  const compared = query.get("compare");
  const first = useSide(calls, list, task);
  const second = useSide(calls, list, compared);
  const draft = useSignal("");
  const compare = async () => {
    const hasBegun = first !== null && first.record !== null;
    // A conversation that has begun is forked, so that both answers follow the same messages.
    const other = hasBegun ? (await calls.forkTask({ taskId: task })).task_id : `${task}-b`;
    setQuery({ task, compare: other });
  };
  return (
    <div class={`playground ${compared === null ? "" : "comparing"}`}>
      <TaskListView engine={id} current={task} calls={calls} list={list} isArchive={isArchive} onArchive={setArchive} />
      {first !== null && (
        <Talk
          engine={engine}
          calls={calls}
          sides={second === null ? [first] : [first, second]}
          draft={draft}
          onCompare={compare}
        />
      )}
    </div>
  );
};
