import type { TurnRecord } from "@orchd/client";
import { engineById } from "../../live/engine.ts";
import { usePages } from "../../live/pages.ts";
import { usePolling } from "../../live/samples.ts";
import { Empty } from "../../parts/empty.tsx";
import { More } from "../../parts/more.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Clock, now } from "../../parts/time.tsx";
import { address, linkTo, setQuery } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import type { ViewProps } from "../view.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import { transcriptPath } from "../conversations/transcript-path.ts";
import { TurnState } from "./turn-state.tsx";
import { formatMs } from "./format-ms.ts";

const REFRESH_MS = 5000;

/** The turns of an engine, the newest first; with `task` in the address those of one conversation. */
export const TurnList = ({ params }: ViewProps) => {
  const id = params["engine"] ?? "";
  const task = address.value.query.get("task") ?? "";
  const isThere = engineById(id) !== null;
  const { items, problem, more, reload } = usePages(
    (cursor, signal) => engineCalls(id).listTurns({ taskId: task === "" ? undefined : task, cursor, signal }),
    [id, task],
  );
  const hasOpen = items?.some(({ ended_at }) => ended_at === null) ?? false;
  usePolling(() => hasOpen && reload(), REFRESH_MS);
  if (!isThere) return <NoEngine />;
  return (
    <>
      <div class="controls" role="search">
        <input
          data-search
          type="search"
          placeholder="Conversation (task id)"
          aria-label="Only turns of this conversation"
          value={task}
          spellcheck={false}
          onChange={({ currentTarget }) => setQuery({ task: currentTarget.value.trim() })}
        />
        <a
          class="button"
          href={linkTo(`/engines/${id}/playground${task === "" ? "" : `?task=${encodeURIComponent(task)}`}`)}
        >
          {task === "" ? "Open the playground" : "Continue in the playground"}
        </a>
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {items !== null && items.length === 0 && (
        <Empty title={task === "" ? "This engine has had no turn yet." : "This conversation has no turn."}>
          <p>
            Send it a message in the <a href={linkTo(`/engines/${id}/playground`)}>playground</a>.
          </p>
        </Empty>
      )}
      {items !== null && items.length > 0 && (
        <Table label="Turns" columns={columnsOf(id)} rows={items} keyOf={({ turn_id }) => turn_id} />
      )}
      <More more={more} />
    </>
  );
};

const columnsOf = (engine: string): readonly Column<TurnRecord>[] => [
  { title: "Started", cell: ({ started_at }) => <Clock at={started_at} /> },
  { title: "State", cell: (turn) => <TurnState state={turn.state} error={turn.error} /> },
  {
    title: "Message",
    kind: "wide",
    cell: ({ turn_id, message }) => (
      <a class="turn-message" href={linkTo(`/engines/${engine}/turns/${turn_id}`)}>
        <bdi>{message.trim() === "" ? "(files only)" : message}</bdi>
      </a>
    ),
  },
  {
    title: "Conversation",
    isExtra: true,
    cell: ({ task_id }) => (
      <a href={linkTo(transcriptPath(engine, task_id))}>
        <bdi class="clip">{task_id}</bdi>
      </a>
    ),
  },
  {
    title: "Time",
    kind: "number",
    isExtra: true,
    cell: ({ started_at, ended_at }) =>
      formatMs((ended_at === null ? now.value : Date.parse(ended_at)) - Date.parse(started_at)),
  },
];
