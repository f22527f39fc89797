import type { EventRecord } from "../../contract/orchestrator/event.ts";
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
import type { AuditRecord } from "../../contract/orchestrator/audit.ts";
import { listAudit } from "../store/audit-log.ts";

const PAGE = 500;
const POLL_MS = 250;
const UNAVAILABLE_POLL_MS = 2000;

/** Events, newest first, older than the event with the id `after`. */
export const pageOfEvents = (
  host: Pick<HostContext, "db">,
  filter: EventFilter,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<EventRecord[]> => listEvents(host.db, { ...filter, before: after, limit });

type FollowedEvent =
  | { readonly kind: "event"; readonly event: EventRecord }
  /** Events after the reader's last one have been purged. */
  | { readonly kind: "gap" };

/**
 * Follows events, each once and in order, until the signal aborts: after the event `after`, or from the moment this
 * resolves. While the database is unavailable it waits.
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
  let unavailable = false;
  while (!signal.aborted) {
    try {
      const page = await eventsAfter(host.db, { ...filter, after: position, limit: PAGE });
      for (const event of page.events) yield { kind: "event", event };
      ({ position } = page);
      unavailable = false;
      if (page.events.length < PAGE) await delay(POLL_MS, signal);
    } catch (error) {
      if (!unavailable) host.logger.warn({ err: error }, "failed to read events, retrying");
      unavailable = true;
      await delay(UNAVAILABLE_POLL_MS, signal);
    }
  }
}

/** Lines of the audit log in order, after the sequence number `after`. */
export const pageOfAudit = (
  host: Pick<HostContext, "db">,
  page: { readonly after: number; readonly limit: number },
): Promise<AuditRecord[]> => listAudit(host.db, page);
