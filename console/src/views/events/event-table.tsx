import type { EventRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { slugOf } from "../../live/fleet.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { Clock } from "../../parts/time.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { linkTo } from "../../routing/address.ts";
import { may } from "../../session/session.ts";
import { eventWords, turnPath } from "./event-words.ts";

/** The event with all that is stored of it, on request. */
const EventName = ({ event }: { readonly event: EventRecord }) => {
  const [isOpen, setOpen] = useState(false);
  const { type, from, to, reason, actor, incarnation, request_id: call, data } = event;
  const facts = { from, to, reason, by: actor, process: incarnation, call, ...data };
  return (
    <details class="event" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <code>{type}</code>
      </summary>
      {isOpen && (
        <dl>
          {Object.entries(facts)
            .filter(([, value]) => value !== null && value !== undefined)
            .map(([name, value]) => (
              <div key={name}>
                <dt>{name.replaceAll("_", " ")}</dt>
                <dd>
                  <bdi>{typeof value === "string" ? value : JSON.stringify(value)}</bdi>
                </dd>
              </div>
            ))}
        </dl>
      )}
    </details>
  );
};

const EventText = ({ event }: { readonly event: EventRecord }) => {
  const turn = turnPath(event);
  return (
    <>
      <bdi class="dim">{eventWords(event)}</bdi>
      {turn !== null && may("operator") && (
        <>
          {" "}
          <a href={linkTo(turn)}>Turn</a>
        </>
      )}
    </>
  );
};

const COLUMNS: readonly Column<EventRecord>[] = [
  { title: "Time", cell: ({ time }) => <Clock at={time} /> },
  { title: "Event", cell: (event) => <EventName event={event} /> },
  {
    title: "State",
    isRare: true,
    cell: ({ from, to }) => (to === null ? "" : from === null ? to : `${from} → ${to}`),
  },
  { title: "What", kind: "wide", cell: (event) => <EventText event={event} /> },
  { title: "By", isRare: true, cell: ({ actor }) => actor },
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
