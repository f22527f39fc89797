import type { EventRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { products } from "../../live/fleet.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { Clock } from "../../parts/time.tsx";
import { NARROW, useMedia } from "../../parts/use-media.ts";
import { UserName } from "../../parts/user-name.tsx";
import { linkTo } from "../../routing/address.ts";
import { may } from "../../session/session.ts";
import { eventLinks } from "./event-links.ts";
import { type EventNames, eventWords } from "./event-words.ts";
import { useEventNames } from "./use-event-names.ts";

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

const EventText = ({ event, names }: { readonly event: EventRecord; readonly names: EventNames }) => {
  const links = may("operator") ? eventLinks(event) : [];
  return (
    <>
      <bdi class="dim">{eventWords(event, names)}</bdi>
      {links.length > 0 && (
        <span class="event-links">
          {links.map(({ title, path }) => (
            <a key={path} href={linkTo(path)}>
              {title}
            </a>
          ))}
        </span>
      )}
    </>
  );
};

const stateOf = ({ from, to }: EventRecord): string => (to === null ? "" : from === null ? to : `${from} → ${to}`);

const TIME: Column<EventRecord> = { title: "Time", cell: ({ time }) => <Clock at={time} /> };
const EVENT: Column<EventRecord> = { title: "Event", cell: (event) => <EventName event={event} /> };
const STATE: Column<EventRecord> = { title: "State", cell: stateOf };
const BY: Column<EventRecord> = { title: "By", cell: ({ actor }) => actor };
const whatOf = (names: EventNames): Column<EventRecord> => ({
  title: "What",
  kind: "wide",
  cell: (event) => <EventText event={event} names={names} />,
});

/** What an event is about. A product that was deleted is known from its own events. */
const subjectOf = (slugs: ReadonlyMap<string, string>): Column<EventRecord> => ({
  title: "Subject",
  cell: ({ engine_id, user_id, product_id }) => {
    if (user_id !== null && engine_id !== null)
      return (
        <a href={linkTo(`/engines/${engine_id}`)}>
          <UserName id={user_id} />
        </a>
      );
    if (product_id === null) return "host";
    const slug = products.value?.get(product_id)?.slug;
    if (slug === undefined) return <bdi>{slugs.get(product_id) ?? "a deleted product"}</bdi>;
    return <a href={linkTo(`/products/${slug}`)}>{slug}</a>;
  },
});

/** Where the page is narrow, one column has all that happened. */
const narrowOf = (subject: Column<EventRecord> | null, names: EventNames): Column<EventRecord> => ({
  title: "Event",
  kind: "wide",
  cell: (event) => (
    <div class="event-lines">
      <div>
        {subject?.cell(event)}
        <EventName event={event} />
      </div>
      <div>
        {stateOf(event) !== "" && <div>{stateOf(event)}</div>}
        <EventText event={event} names={names} />
      </div>
    </div>
  ),
});

interface EventTableProps {
  readonly label: string;
  readonly events: readonly EventRecord[];
  /** Whether they are of several engines. */
  readonly hasSubject?: boolean;
}

export const EventTable = ({ label, events, hasSubject = false }: EventTableProps) => {
  const names = useEventNames(events);
  const subject = hasSubject ? subjectOf(slugsIn(events)) : null;
  const columns = useMedia(NARROW)
    ? [TIME, narrowOf(subject, names)]
    : [TIME, EVENT, ...(subject === null ? [] : [subject]), STATE, whatOf(names), BY];
  return <Table label={label} columns={columns} rows={events} keyOf={({ id }) => id} />;
};

function slugsIn(events: readonly EventRecord[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { product_id, data } of events)
    if (product_id !== null && typeof data["slug"] === "string") found.set(product_id, data["slug"]);
  return found;
}
