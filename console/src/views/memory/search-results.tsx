import type { KnowledgeHit } from "@orchd/client";
import { useResource } from "../../live/resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Clock } from "../../parts/time.tsx";
import { linkTo } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import type { MemoryProps } from "./memory-props.ts";
import { Validity } from "./validity.tsx";

const LIMIT = 30;

const COLUMNS: readonly Column<KnowledgeHit>[] = [
  {
    title: "Verdict",
    cell: ({ bearing }) => (
      <span class={`state ${bearing === "answers" ? "running" : "asleep"}`}>
        <span class="dot" aria-hidden="true" />
        {bearing}
      </span>
    ),
  },
  { title: "Found", kind: "wide", cell: ({ content }) => <bdi>{content}</bdi> },
  { title: "Kind", cell: ({ kind }) => (kind === "episode" ? "round" : kind) },
  { title: "Valid", isExtra: true, cell: (hit) => <Validity from={hit.valid_from} to={hit.valid_to} /> },
  { title: "Trust", isExtra: true, cell: ({ trust }) => trust },
  { title: "Time", isExtra: true, cell: ({ event_time }) => <Clock at={event_time} /> },
];

/** What the agent would find, and whether it seems to hold the answer. */
export const SearchResults = ({ engine: { id }, query }: MemoryProps & { readonly query: string }) => {
  const { data, problem, reload } = useResource(
    (signal) => engineCalls(id).searchKnowledge({ query, limit: LIMIT, signal }),
    [id, query],
  );
  const hasAnswer = data?.some(({ bearing }) => bearing === "answers");
  return (
    <>
      <p class="memory-note">
        <a href={linkTo(`/engines/${id}/memory`)}>All memories</a>{" "}
        {data !== null && data.length > 0 && (
          <span class="dim">
            {hasAnswer
              ? "The memory seems to hold the answer."
              : "These only touch the topic: the memory most likely does not hold the answer."}
          </span>
        )}
      </p>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data?.length === 0 && <Empty title="Nothing that fits is remembered." />}
      {data !== null && data.length > 0 && (
        <Table label="Search results" columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
      )}
    </>
  );
};
