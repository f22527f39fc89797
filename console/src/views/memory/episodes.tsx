import type { EpisodeRecord } from "@orchd/client";
import { usePages } from "../../live/pages.ts";
import { Empty } from "../../parts/empty.tsx";
import { More } from "../../parts/more.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Clock } from "../../parts/time.tsx";
import { linkTo } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import type { MemoryProps } from "./memory-props.ts";

/** Rounds: questions of the user with their answers. */
export const Episodes = ({ engine: { id } }: MemoryProps) => {
  const { items, problem, more, reload } = usePages(
    (cursor, signal) => engineCalls(id).listMemory("episodes", { cursor, signal }),
    [id],
  );
  const columns: readonly Column<EpisodeRecord>[] = [
    { title: "Time", cell: ({ event_time }) => <Clock at={event_time} /> },
    {
      title: "Question",
      kind: "wide",
      cell: ({ turn_id, question, answer }) => (
        <>
          <a href={linkTo(`/engines/${id}/turns/${turn_id}`)}>
            <bdi class="line">{question}</bdi>
          </a>
          <bdi class="line dim">{answer}</bdi>
        </>
      ),
    },
    { title: "Trust", cell: ({ trust }) => trust },
    { title: "Importance", isExtra: true, kind: "number", cell: ({ importance }) => importance },
  ];
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {items !== null && items.length === 0 && (
        <Empty title="No round is remembered yet: it is stored with each turn." />
      )}
      {items !== null && items.length > 0 && (
        <Table label="Rounds" columns={columns} rows={items} keyOf={({ id }) => id} />
      )}
      <More more={more} />
    </>
  );
};
