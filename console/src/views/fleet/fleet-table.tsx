import type { EngineRecord } from "@orchd/client";
import { slugOf } from "../../live/fleet.ts";
import { formatCount, formatMb, formatPercent } from "../../parts/format.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import { type Column, cellClass } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { linkTo, setQuery } from "../../routing/address.ts";
import type { FleetFilter, Sort } from "./fleet-filter.ts";
import { stateReason } from "./state-reason.ts";

interface FleetColumn extends Column<EngineRecord> {
  readonly sort?: Sort;
}

const COLUMNS: readonly FleetColumn[] = [
  {
    title: "User",
    sort: "user",
    cell: ({ id, user_id }) => (
      <a href={linkTo(`/engines/${id}`)}>
        <UserName id={user_id} />
      </a>
    ),
  },
  { title: "Product", sort: "product", isRare: true, cell: ({ product_id }) => slugOf(product_id) },
  { title: "State", sort: "state", cell: ({ state }) => <StateBadge state={state} /> },
  { title: "Why", kind: "wide", cell: (engine) => <Why text={stateReason(engine)} /> },
  {
    title: "CPU",
    sort: "cpu",
    kind: "number",
    isRare: true,
    cell: ({ usage }) => formatPercent(usage?.cpu_percent),
  },
  { title: "Memory", sort: "memory", kind: "number", isRare: true, cell: ({ usage }) => formatMb(usage?.memory_mb) },
  {
    title: "Turns",
    sort: "turns",
    kind: "number",
    isRare: true,
    cell: ({ usage }) => formatCount(usage?.work?.turns),
  },
  {
    title: "Restarts",
    sort: "restarts",
    kind: "number",
    isRare: true,
    cell: ({ restarts }) => formatCount(restarts.count),
  },
  {
    title: "Last active",
    sort: "active",
    kind: "number",
    isExtra: true,
    cell: ({ last_active_at }) => <Ago at={last_active_at} />,
  },
];

/** Every engine of the host that fits the filter: it may have thousands. */
export const FleetTable = ({
  rows,
  filter,
}: {
  readonly rows: readonly EngineRecord[];
  readonly filter: FleetFilter;
}) => (
  <VirtualTable
    label="Engines"
    class="fleet-table"
    columns={COLUMNS.length}
    head={COLUMNS.map((column) => (
      <SortHeader key={column.title} column={column} filter={filter} />
    ))}
    rows={rows}
  >
    {(engine, position) => (
      <tr key={engine.id} aria-rowindex={position}>
        {COLUMNS.map((column) => (
          <td key={column.title} class={cellClass(column)}>
            {column.cell(engine)}
          </td>
        ))}
      </tr>
    )}
  </VirtualTable>
);

const Why = ({ text }: { readonly text: string }) => (
  <span class="dim" title={text}>
    {text}
  </span>
);

const SortHeader = ({ column, filter }: { readonly column: FleetColumn; readonly filter: FleetFilter }) => {
  const { title, sort } = column;
  if (sort === undefined)
    return (
      <th scope="col" class={cellClass(column)}>
        {title}
      </th>
    );
  const isSorted = filter.sort === sort;
  const next = isSorted && filter.isDescending ? sort : `-${sort}`;
  return (
    <th
      scope="col"
      class={cellClass(column)}
      aria-sort={isSorted ? (filter.isDescending ? "descending" : "ascending") : undefined}
    >
      <button type="button" class="sort" onClick={() => setQuery({ sort: next })}>
        {title}
        <span aria-hidden="true">{isSorted ? (filter.isDescending ? "↓" : "↑") : ""}</span>
      </button>
    </th>
  );
};
