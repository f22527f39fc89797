import type { EventRecord } from "@orchd/client";
import { useEffect, useState } from "preact/hooks";
import { onEvents } from "../../live/events.ts";
import { useResource } from "../../live/resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { address, setQuery } from "../../routing/address.ts";
import { admin } from "../../session/clients.ts";
import { EventTable } from "./event-table.tsx";

/** Events of one read, and the most that are shown. */
const PAGE = 200;
const MAX_SHOWN = 300;

/** What happened on the host, the newest first, live. */
export const Events = () => {
  const { data, problem, reload } = useResource(readNewest, []);
  const [live, setLive] = useState<readonly EventRecord[]>([]);
  useEffect(() => onEvents((events) => setLive((known) => [...events.toReversed(), ...known].slice(0, MAX_SHOWN))), []);
  const text = address.value.query.get("q") ?? "";
  // The list and the live events overlap.
  const all = [...new Map([...live, ...(data ?? [])].map((event) => [event.id, event])).values()];
  const shown = all.filter((event) => fits(event, text.trim().toLowerCase())).slice(0, MAX_SHOWN);
  return (
    <>
      <h1>Events</h1>
      <div class="controls" role="search">
        <SearchField
          placeholder="Search type, user or reason"
          label="Search events"
          value={text}
          onInput={(q) => setQuery({ q })}
        />
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {shown.length > 0 ? (
        <EventTable label="Events of the host" events={shown} hasSubject />
      ) : (
        data !== null && (
          <Empty title={text === "" ? "Nothing has happened on this host yet." : "No recent event fits this search."} />
        )
      )}
    </>
  );
};

async function readNewest(signal: AbortSignal): Promise<readonly EventRecord[]> {
  const found: EventRecord[] = [];
  for await (const event of admin.listEvents({ pageSize: PAGE, signal })) {
    found.push(event);
    if (found.length === PAGE) break;
  }
  return found;
}

const fits = ({ type, user_id, reason, engine_id }: EventRecord, text: string): boolean =>
  text === "" || [type, user_id, reason, engine_id].some((value) => value?.toLowerCase().includes(text));
