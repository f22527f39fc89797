import type { EngineClient, TaskRecord } from "@orchd/client";
import { useEffect, useState } from "preact/hooks";
import { usePages } from "../../live/pages.ts";
import { TASKS_SHOWN, type TaskList } from "../../live/use-tasks.ts";
import { Empty } from "../../parts/empty.tsx";
import { More } from "../../parts/more.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { Ago } from "../../parts/time.tsx";
import { linkTo } from "../../routing/address.ts";
import { TaskStateBadge } from "../conversations/task-state.tsx";
import { useTyped } from "../conversations/use-typed.ts";
import { taskPath } from "./task-path.ts";

interface TaskListProps {
  readonly engine: string;
  readonly current: string;
  readonly calls: EngineClient;
  readonly list: TaskList;
  readonly isArchive: boolean;
  readonly onArchive: (isArchive: boolean) => void;
}

/** The conversations of an engine, the latest activity first. */
export const TaskListView = ({ engine, current, calls, list, isArchive, onArchive }: TaskListProps) => {
  const [query, setQuery] = useState("");
  const [isOpen, setOpen] = useState(false);
  // On a narrow screen the list is over the conversation that was chosen.
  useEffect(() => setOpen(false), [current]);
  const shown = [...(list.tasks?.values() ?? [])].toSorted((left, right) =>
    right.last_active_at.localeCompare(left.last_active_at),
  );
  return (
    <nav class={`tasks ${isOpen ? "open" : ""}`} aria-label="Conversations">
      <button type="button" class="tasks-switch" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Conversations
      </button>
      <div class="tasks-body">
        <SearchField placeholder="Search conversations" value={query} onInput={setQuery} />
        <div class="controls">
          <a class="button primary" href={linkTo(taskPath(engine))}>
            New conversation
          </a>
          <button type="button" aria-pressed={isArchive} onClick={() => onArchive(!isArchive)}>
            Archive
          </button>
        </div>
        {query.trim() === "" ? (
          <>
            {list.problem !== null && <ProblemNote problem={list.problem} />}
            <Links engine={engine} current={current} tasks={shown} />
            {list.tasks?.size === 0 && <p class="dim">{isArchive ? "Nothing is archived." : "There is none yet."}</p>}
            {shown.length >= TASKS_SHOWN && <p class="dim">The search finds older ones.</p>}
          </>
        ) : (
          <Found engine={engine} current={current} calls={calls} query={query.trim()} />
        )}
      </div>
    </nav>
  );
};

/** What a search finds, archived conversations too. */
const Found = ({
  engine,
  current,
  calls,
  query,
}: Pick<TaskListProps, "engine" | "current" | "calls"> & { readonly query: string }) => {
  const searched = useTyped(query);
  const found = usePages(
    (cursor, signal) => calls.listTasks({ q: searched, archived: "any", cursor, signal }),
    [engine, searched],
  );
  return (
    <>
      {found.problem !== null && <ProblemNote problem={found.problem} onRetry={found.reload} />}
      <Links engine={engine} current={current} tasks={found.items ?? []} />
      {found.items?.length === 0 && found.more === null && <Empty title="No conversation has these words." />}
      <More more={found.more} />
    </>
  );
};

interface LinksProps {
  readonly engine: string;
  readonly current: string;
  readonly tasks: readonly TaskRecord[];
}

const Links = ({ engine, current, tasks }: LinksProps) => (
  <ul>
    {tasks.map(({ task_id: id, title, state, archived, last_active_at }) => (
      <li key={id}>
        <a href={linkTo(taskPath(engine, id))} aria-current={id === current ? "page" : undefined}>
          <bdi class="task-title">{title}</bdi>
          <span class="task-state">
            <TaskStateBadge state={state} />
            <Ago at={last_active_at} />
            {archived && <span>archived</span>}
          </span>
        </a>
      </li>
    ))}
  </ul>
);
