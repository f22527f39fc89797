import type { EventRecord } from "@orchd/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { onEvents } from "../../live/events.ts";
import { products } from "../../live/fleet.ts";
import { usePages } from "../../live/pages.ts";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { More } from "../../parts/more.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { address, setQuery } from "../../routing/address.ts";
import { admin } from "../../session/clients.ts";
import { EVENT_GROUPS, type EventFilter, filterIn, fits, isFiltered } from "./event-filter.ts";
import { EventTable } from "./event-table.tsx";

/** Events of one read, and the most live ones that are kept. */
const PAGE = 200;
const MAX_LIVE = 300;

/** What happened on the host, the newest first, live. The address has the filters. */
export const Events = () => {
  const filter = filterIn(address.value.query);
  const feed = useRef<AsyncGenerator<EventRecord>>(undefined);
  const { items, problem, more, reload } = usePages(
    async (cursor) => {
      const { product } = filter;
      if (cursor === undefined)
        feed.current = admin.listEvents({ pageSize: PAGE, ...(product !== "" && { productId: product }) });
      return nextPage(feed.current);
    },
    [filter.product],
  );
  const [live, setLive] = useState<readonly EventRecord[]>([]);
  useEffect(() => onEvents((events) => setLive((known) => [...events.toReversed(), ...known].slice(0, MAX_LIVE))), []);
  // The list and the live events overlap.
  const all = [...new Map([...live, ...(items ?? [])].map((event) => [event.id, event])).values()];
  const shown = all.filter((event) => fits(event, filter));
  return (
    <>
      <h1>Events</h1>
      <Filters filter={filter} />
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {items === null && problem === null && (
        <p class="dim" aria-busy="true">
          Reading the events
        </p>
      )}
      {shown.length > 0 && <EventTable label="Events of the host" events={shown} hasSubject />}
      {shown.length === 0 && items !== null && (
        <Empty
          title={
            isFiltered(filter)
              ? `None of the ${formatCount(all.length)} newest events fits.`
              : "Nothing has happened on this host yet."
          }
        />
      )}
      <More more={more} />
    </>
  );
};

async function nextPage(feed: AsyncGenerator<EventRecord> | undefined) {
  const items: EventRecord[] = [];
  while (items.length < PAGE) {
    const next = await feed?.next();
    if (next === undefined || next.done === true) return { items, next_cursor: null };
    items.push(next.value);
  }
  return { items, next_cursor: items.at(-1)?.id ?? null };
}

const Filters = ({ filter }: { readonly filter: EventFilter }) => {
  const { query } = address.value;
  return (
    <div class="controls" role="search">
      <SearchField
        placeholder="Search type, user or reason"
        label="Search events"
        value={query.get("q") ?? ""}
        onInput={(q) => setQuery({ q })}
      />
      <label>
        Type{" "}
        <select value={filter.type} onChange={({ currentTarget }) => setQuery({ type: currentTarget.value })}>
          <option value="">all</option>
          {filter.type.includes(".") && <option value={filter.type}>{filter.type}</option>}
          {EVENT_GROUPS.map((group) => (
            <option key={group} value={group}>
              {group}
            </option>
          ))}
        </select>
      </label>
      <label>
        Product{" "}
        <select value={filter.product} onChange={({ currentTarget }) => setQuery({ product: currentTarget.value })}>
          <option value="">all</option>
          {[...(products.value?.values() ?? [])].map(({ slug }) => (
            <option key={slug} value={slug}>
              {slug}
            </option>
          ))}
        </select>
      </label>
      <label>
        User{" "}
        <input
          type="text"
          class="short"
          spellcheck={false}
          value={filter.user}
          onInput={({ currentTarget }) => setQuery({ user: currentTarget.value })}
        />
      </label>
      <span class="together">
        <label>
          From{" "}
          <input
            type="datetime-local"
            value={filter.since}
            onChange={({ currentTarget }) => setQuery({ since: currentTarget.value })}
          />
        </label>
        <label>
          To{" "}
          <input
            type="datetime-local"
            value={filter.until}
            onChange={({ currentTarget }) => setQuery({ until: currentTarget.value })}
          />
        </label>
      </span>
      {isFiltered(filter) && (
        <button
          type="button"
          class="quiet"
          onClick={() => setQuery({ q: "", type: "", product: "", user: "", since: "", until: "" })}
        >
          All events
        </button>
      )}
    </div>
  );
};
