import type { EngineClient, TaskRecord } from "@orchd/client";
import { useMemo } from "preact/hooks";
import { engineById } from "../../live/engine.ts";
import { usePages } from "../../live/pages.ts";
import { TASKS_SHOWN, useTasks } from "../../live/use-tasks.ts";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { More } from "../../parts/more.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { address, linkTo, setQuery } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import type { ViewProps } from "../view.ts";
import { useTyped } from "./use-typed.ts";
import { TaskActions } from "./task-actions.tsx";
import { withLive } from "./with-live.ts";
import { TaskStateBadge } from "./task-state.tsx";
import { transcriptPath } from "./transcript-path.ts";

const SHOWN = { "": "false", archived: "true", all: "any" } as const;
type Shown = keyof typeof SHOWN;

/** The conversations of a user, the latest activity first, as they are now. The address names the search. */
export const ConversationList = ({ params }: ViewProps) => {
  const engine = params["engine"] ?? "";
  const calls = useMemo(() => engineCalls(engine), [engine]);
  const { query } = address.value;
  const words = query.get("q") ?? "";
  const shown = (Object.keys(SHOWN) as Shown[]).find((name) => name === query.get("show")) ?? "";
  const q = useTyped(words.trim());
  const archived = SHOWN[shown];
  const pages = usePages(
    (cursor, signal) => calls.listTasks({ ...(q !== "" && { q }), archived, limit: TASKS_SHOWN, cursor, signal }),
    [engine, q, shown],
  );
  const live = useTasks(engine, archived);
  const items = pages.items === null ? null : withLive(pages.items, live, q === "");
  const { more, reload } = pages;
  const problem = pages.problem ?? live.problem;
  if (engineById(engine) === null) return <NoEngine />;
  return (
    <>
      <div class="controls" role="search">
        <SearchField placeholder="Search conversations" value={words} onInput={(value) => setQuery({ q: value })} />
        <label class="check-label">
          Show
          <select value={shown} onChange={({ currentTarget: { value } }) => setQuery({ show: value })}>
            <option value="">current</option>
            <option value="archived">archived</option>
            <option value="all">all</option>
          </select>
        </label>
        <a class="button" href={linkTo(`/engines/${engine}/playground`)}>
          New conversation
        </a>
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {items === null && problem === null && (
        <p class="dim" aria-busy="true">
          Reading conversations
        </p>
      )}
      {items?.length === 0 && more === null && (
        <Empty title={words === "" ? "There is no conversation here." : "No conversation has these words."} />
      )}
      {items !== null && items.length > 0 && (
        <Table
          label="Conversations"
          columns={columnsOf(engine, calls, reload)}
          rows={items}
          keyOf={({ task_id }) => task_id}
        />
      )}
      <More more={more} />
    </>
  );
};

const columnsOf = (engine: string, calls: EngineClient, reload: () => void): readonly Column<TaskRecord>[] => [
  {
    title: "Title",
    kind: "wide",
    cell: ({ task_id, title, archived }) => (
      <>
        <a class="turn-message" href={linkTo(transcriptPath(engine, task_id))}>
          <bdi>{title}</bdi>
        </a>
        {archived && <span class="dim"> archived</span>}
      </>
    ),
  },
  { title: "State", cell: ({ state }) => <TaskStateBadge state={state} /> },
  { title: "Agent", isRare: true, cell: ({ agent }) => agent },
  {
    title: "Messages",
    kind: "number",
    isRare: true,
    cell: ({ message_count }) => formatCount(message_count),
  },
  {
    title: "Tokens",
    kind: "number",
    isExtra: true,
    cell: ({ usage }) => formatCount(usage.input_tokens + usage.output_tokens),
  },
  { title: "Last active", cell: ({ last_active_at }) => <Ago at={last_active_at} /> },
  {
    title: "Actions",
    kind: "actions",
    // A narrow page has them in the transcript.
    isRare: true,
    cell: (record) => <TaskActions calls={calls} record={record} onChanged={reload} onDeleted={reload} />,
  },
];
