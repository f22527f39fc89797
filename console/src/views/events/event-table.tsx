import type { EventRecord } from "@orchd/client";
import { slugOf } from "../../live/fleet.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { Clock } from "../../parts/time.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { linkTo } from "../../routing/address.ts";

const COLUMNS: readonly Column<EventRecord>[] = [
  { title: "Time", cell: ({ time }) => <Clock at={time} /> },
  { title: "Event", cell: ({ type }) => <code>{type}</code> },
  {
    title: "State",
    isExtra: true,
    cell: ({ from, to }) => (to === null ? "" : from === null ? to : `${from} → ${to}`),
  },
  { title: "Reason", kind: "wide", cell: ({ reason }) => <span class="dim">{reason}</span> },
  { title: "By", isExtra: true, cell: ({ actor }) => actor },
];

const SUBJECT: Column<EventRecord> = {
  title: "Subject",
  cell: ({ engine_id, user_id, product_id }) =>
    user_id !== null && engine_id !== null ? (
      <a href={linkTo(`/engines/${engine_id}`)}>
        <UserName id={user_id} />
      </a>
    ) : product_id !== null ? (
      <a href={linkTo(`/products/${slugOf(product_id)}`)}>{slugOf(product_id)}</a>
    ) : (
      "host"
    ),
};

/** Without reasons where the page is narrow: the engine has them. */
const WITH_SUBJECT = COLUMNS.toSpliced(2, 0, SUBJECT).map((column) =>
  column.kind === "wide" ? { ...column, isExtra: true } : column,
);

interface EventTableProps {
  readonly label: string;
  readonly events: readonly EventRecord[];
  /** Whether they are of several engines. */
  readonly hasSubject?: boolean;
}

export const EventTable = ({ label, events, hasSubject = false }: EventTableProps) => {
  const columns = hasSubject ? WITH_SUBJECT : COLUMNS;
  return <Table label={label} columns={columns} rows={events} keyOf={({ id }) => id} />;
};
