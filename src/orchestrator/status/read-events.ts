import type { EventRecord } from "../../contract/orchestrator-events.ts";
import { delay } from "../../shared/clock.ts";
import {
  type EventFilter,
  type EventPosition,
  eventsAfter,
  lastPosition,
  listEvents,
  positionOf,
} from "../store/events.ts";
import type { HostContext } from "../host-context.ts";

const PAGE = 500;
const POLL_MS = 250;
const AWAY_POLL_MS = 2000;

/** The newest events first, older than `after` (the id of the last of the page before). */
export const pageOfEvents = (
  host: Pick<HostContext, "db">,
  filter: EventFilter,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<EventRecord[]> => listEvents(host.db, { ...filter, before: after, limit });

export type FollowedEvent =
  | { readonly kind: "event"; readonly event: EventRecord }
  /** What happened after the reader's last event is no longer known whole. */
  | { readonly kind: "gap" };

/**
 * Events as they are written, each once and in order, until the signal: from behind the event `after`, or from now on,
 * which is when this resolves. While the database is away it waits.
 */
export async function followEvents(
  host: Pick<HostContext, "db" | "logger">,
  filter: EventFilter,
  { after, signal }: { readonly after: string | null; readonly signal: AbortSignal },
): Promise<AsyncIterable<FollowedEvent>> {
  const position = after === null ? await lastPosition(host.db) : await positionOf(host.db, after);
  return follow(host, filter, { known: position, signal });
}

async function* follow(
  host: Pick<HostContext, "db" | "logger">,
  filter: EventFilter,
  { known, signal }: { readonly known: EventPosition | null; readonly signal: AbortSignal },
): AsyncGenerator<FollowedEvent, void, undefined> {
  if (known === null) yield { kind: "gap" };
  let position = known ?? "0";
  let away = false;
  while (!signal.aborted) {
    try {
      const page = await eventsAfter(host.db, { ...filter, after: position, limit: PAGE });
      for (const event of page.events) yield { kind: "event", event };
      ({ position } = page);
      away = false;
      if (page.events.length < PAGE) await delay(POLL_MS, signal);
    } catch (error) {
      if (!away) host.logger.warn({ err: error }, "events cannot be read now");
      away = true;
      await delay(AWAY_POLL_MS, signal);
    }
  }
}
