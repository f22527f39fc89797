import type { SocialNodeRecord } from "@orchd/client";
import { usePages } from "../../live/pages.ts";
import { Empty } from "../../parts/empty.tsx";
import { More } from "../../parts/more.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { engineCalls } from "../../session/clients.ts";
import { placeNodes } from "./graph-layout.ts";
import type { MemoryProps } from "./memory-props.ts";

/** Nodes that are drawn: more could not be read. The table has all. */
const MAX_DRAWN = 40;
const LABEL_LENGTH = 18;

/** People and things with their relations, as a drawing and as a table. */
export const Graph = ({ engine: { id } }: MemoryProps) => {
  const { items, problem, more, reload } = usePages(
    (cursor, signal) => engineCalls(id).listMemory("social", { cursor, signal }),
    [id],
  );
  const names = new Map(items?.map((node) => [node.id, node.name]));
  const columns: readonly Column<SocialNodeRecord>[] = [
    { title: "Name", cell: ({ name }) => <bdi class="clip">{name}</bdi> },
    { title: "Type", cell: ({ type }) => type },
    {
      title: "Relations",
      kind: "wide",
      cell: ({ id: node, edges }) => (
        <span class="dim">
          {edges
            .filter(({ from }) => from === node)
            .map(({ relation, to }) => `${relation} ${names.get(to) ?? to}`)
            .join(", ")}
        </span>
      ),
    },
    { title: "Trust", isExtra: true, cell: ({ trust }) => trust },
    { title: "Mentions", isExtra: true, kind: "number", cell: ({ mention_count }) => mention_count },
    { title: "Last", isExtra: true, cell: ({ last_seen }) => <Ago at={last_seen} /> },
  ];
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {items !== null && items.length === 0 && (
        <Empty title="No person or thing is known yet.">
          <p>Learning finds them in what the user said.</p>
        </Empty>
      )}
      {items !== null && items.length > 0 && (
        <>
          <Drawing nodes={items.slice(0, MAX_DRAWN)} />
          <Table label="People and things" columns={columns} rows={items} keyOf={({ id }) => id} />
        </>
      )}
      <More more={more} />
    </>
  );
};

const Drawing = ({ nodes }: { readonly nodes: readonly SocialNodeRecord[] }) => {
  const indexes = new Map(nodes.map(({ id }, index) => [id, index]));
  const relations = new Map(nodes.flatMap(({ edges }) => edges).map((edge) => [edge.id, edge]));
  const edges = [...relations.values()].flatMap(({ from, to, relation }) => {
    const [start, end] = [indexes.get(from), indexes.get(to)];
    return start === undefined || end === undefined ? [] : [{ from: start, to: end, relation }];
  });
  if (edges.length === 0) return null;
  const places = placeNodes(nodes.length, edges);
  return (
    <svg class="graph" viewBox="-90 -60 180 120" role="img" aria-label={`${nodes.length} people and things`}>
      {edges.map(({ from, to, relation }, index) => {
        const [one, other] = [places[from], places[to]];
        if (one === undefined || other === undefined) return null;
        return (
          <g key={index}>
            <line x1={one.x} y1={one.y} x2={other.x} y2={other.y} />
            <text class="relation" x={(one.x + other.x) / 2} y={(one.y + other.y) / 2}>
              {relation}
            </text>
          </g>
        );
      })}
      {nodes.map(({ id, name, summary }, index) => (
        <g key={id} transform={`translate(${places[index]?.x ?? 0} ${places[index]?.y ?? 0})`}>
          <title>{summary === "" ? name : summary}</title>
          <circle r="2.4" />
          <text y="-4">{name.length > LABEL_LENGTH ? `${name.slice(0, LABEL_LENGTH)}…` : name}</text>
        </g>
      ))}
    </svg>
  );
};
