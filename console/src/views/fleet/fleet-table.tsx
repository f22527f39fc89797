import type { EngineRecord } from "@orchd/client";
import { slugOf } from "../../live/fleet.ts";
import { formatCount, formatMb, formatPercent } from "../../parts/format.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import { type Column, cellClass } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { NARROW, useMedia } from "../../parts/use-media.ts";
import { UserName } from "../../parts/user-name.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { linkTo, setQuery } from "../../routing/address.ts";
import type { FleetFilter, Sort } from "./fleet-filter.ts";
import { stateReason } from "./state-reason.ts";

interface FleetColumn extends Column<EngineRecord> {
  readonly sort?: Sort;
}

const USER: FleetColumn = {
  title: "User",
  sort: "user",
  cell: ({ id, user_id }) => (
    <a href={linkTo(`/engines/${id}`)}>
      <UserName id={user_id} />
    </a>
  ),
};
const STATE: FleetColumn = { title: "State", sort: "state", cell: ({ state }) => <StateBadge state={state} /> };
const WHY: FleetColumn = { title: "Why", kind: "wide", cell: (engine) => <Why text={stateReason(engine)} /> };
const CPU: FleetColumn = {
  title: "CPU",
  sort: "cpu",
  kind: "number",
  cell: ({ usage }) => formatPercent(usage?.cpu_percent),
};
const MEMORY: FleetColumn = {
  title: "Memory",
  sort: "memory",
  kind: "number",
  cell: ({ usage }) => formatMb(usage?.memory_mb),
};
const TURNS: FleetColumn = {
  title: "Turns",
  sort: "turns",
  kind: "number",
  cell: ({ usage }) => formatCount(usage?.work?.turns),
};
const RESTARTS: FleetColumn = {
  title: "Restarts",
  sort: "restarts",
  kind: "number",
  cell: ({ restarts }) => formatCount(restarts.count),
};
const ACTIVE: FleetColumn = {
  title: "Last active",
  sort: "active",
  kind: "number",
  cell: ({ last_active_at }) => <Ago at={last_active_at} />,
};
const PRODUCT: FleetColumn = {
  title: "Product",
  sort: "product",
  cell: ({ product_id }) => slugOf(product_id),
};

const COLUMNS: readonly FleetColumn[] = [USER, PRODUCT, STATE, WHY, CPU, MEMORY, TURNS, RESTARTS, ACTIVE];
/** Where the page has no room for all columns, each row has two lines. */
const PAIRS: readonly (readonly [FleetColumn, FleetColumn])[] = [
  [USER, WHY],
  [STATE, ACTIVE],
  [CPU, MEMORY],
  [TURNS, RESTARTS],
];
/** Of a row of two lines, as in the style sheet. */
const PAIR_HEIGHT = 53;

interface FleetTableProps {
  readonly rows: readonly EngineRecord[];
  readonly filter: FleetFilter;
}

/** Every engine of the host that fits the filter: it may have thousands. */
export const FleetTable = (props: FleetTableProps) =>
  useMedia(NARROW) ? <NarrowTable {...props} /> : <WideTable {...props} />;

const WideTable = ({ rows, filter }: FleetTableProps) => (
  <VirtualTable
    label="Engines"
    class="fleet-table"
    columns={COLUMNS.length}
    head={COLUMNS.map((column) => (
      <th key={column.title} scope="col" class={cellClass(column)} aria-sort={sortOf(column, filter)}>
        <Title column={column} filter={filter} />
      </th>
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

const NarrowTable = ({ rows, filter }: FleetTableProps) => (
  <VirtualTable
    label="Engines"
    class="fleet-table pairs"
    columns={PAIRS.length}
    rowHeight={PAIR_HEIGHT}
    head={PAIRS.map(([first, second]) => (
      <th key={first.title} scope="col" class={first.kind} aria-sort={sortOf(first, filter) ?? sortOf(second, filter)}>
        <Title column={first} filter={filter} />
        <br />
        <Title column={second} filter={filter} />
      </th>
    ))}
    rows={rows}
  >
    {(engine, position) => (
      <tr key={engine.id} aria-rowindex={position}>
        {PAIRS.map(([first, second]) => (
          <td key={first.title} class={first.kind}>
            <div>{first.cell(engine)}</div>
            <div class="dim">{second.cell(engine)}</div>
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

const sortOf = ({ sort }: FleetColumn, filter: FleetFilter): "ascending" | "descending" | undefined =>
  sort === undefined || filter.sort !== sort ? undefined : filter.isDescending ? "descending" : "ascending";

/** The title of a column, which sorts by it. */
const Title = ({ column, filter }: { readonly column: FleetColumn; readonly filter: FleetFilter }) => {
  const { title, sort } = column;
  if (sort === undefined) return <>{title}</>;
  const sorted = sortOf(column, filter);
  const next = sorted === "descending" ? sort : `-${sort}`;
  return (
    <button type="button" class="sort" onClick={() => setQuery({ sort: next })}>
      {title}
      <span aria-hidden="true">{sorted === undefined ? "" : sorted === "descending" ? "↓" : "↑"}</span>
    </button>
  );
};
