import type { EngineClient, TaskRecord } from "@orchd/client";
import { linkTo, navigate } from "../../routing/address.ts";
import { transcriptPath } from "../conversations/transcript-path.ts";
import { TaskActions } from "../conversations/task-actions.tsx";
import { taskPath } from "./task-path.ts";

interface HeaderProps {
  readonly engine: string;
  readonly calls: EngineClient;
  readonly task: string;
  /** Null before its first turn. */
  readonly record: TaskRecord | null;
  readonly onChanged: () => void;
}

/** What a conversation is about, and what can be done with it as a whole. */
export const TaskHeader = ({ engine, calls, task, record, onChanged }: HeaderProps) => {
  if (record === null)
    return (
      <header class="section-head">
        <h2>New conversation</h2>
      </header>
    );
  const { title, parent } = record;
  return (
    <header class="task-head">
      <div class="section-head">
        <h2>
          <bdi>{title}</bdi>
        </h2>
        <TaskActions calls={calls} record={record} onChanged={onChanged} onDeleted={() => navigate(taskPath(engine))} />
      </div>
      <p class="dim">
        <code>
          <bdi>{task}</bdi>
        </code>{" "}
        · <a href={linkTo(transcriptPath(engine, task))}>Transcript</a> ·{" "}
        <a href={linkTo(`/engines/${engine}/turns?task=${encodeURIComponent(task)}`)}>Its turns</a>
        {parent !== null && (
          <>
            {" "}
            · forked from{" "}
            <a href={linkTo(taskPath(engine, parent.task_id))}>
              <bdi>{parent.task_id}</bdi>
            </a>
          </>
        )}
      </p>
    </header>
  );
};
