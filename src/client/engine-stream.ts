import { TURN_ID_HEADER } from "../contract/engine-records.ts";
import { queryOf } from "./address.ts";
import { type RequestParams, type RetryOptions, type Service, openStream, withRetries } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { resumableStream } from "./resumable-stream.ts";
import { type TurnEvent, endsTurn, readEvents, seqOf, turnIdOf } from "./turn-event.ts";

/** A reader's position. */
export interface Bookmark {
  /** Null until the engine has sent it, and for a reader of several turns. */
  turnId: string | null;
  taskId: string | null;
  /** The `seq` of the last event read, or another position in the log. */
  after: string | number | null;
  /** The events are replayed: their requests may have been answered already. */
  replayed: boolean;
}

interface Reading extends RetryOptions {
  readonly service: Service;
  /** Updated with each event. */
  readonly bookmark: Bookmark;
  readonly signal: AbortSignal;
}

/** A turn's events from the first one: by `POST /execute`, and after a lost connection by replay. */
export function executeTurn(
  reading: Reading,
  request: Pick<RequestParams, "body" | "headers">,
): AsyncGenerator<TurnEvent> {
  const { service, bookmark, signal, onRetry } = reading;
  const post = async () => {
    const { headers, chunks } = await openStream(service, { method: "POST", path: "/execute", signal, ...request });
    bookmark.turnId ??= headers.get(TURN_ID_HEADER);
    bookmark.replayed = headers.get("idempotent-replayed") === "true";
    return readEvents(chunks);
  };
  return resumableStream({
    open: () => withRetries(service, reading, post),
    // Without a turn ID the call is sent again. Its idempotency key resumes the turn if the first call started it.
    reopen: () => (bookmark.turnId === null ? post() : replay(reading)),
    advance: (event) => advance(bookmark, event, { namesTurn: true }),
    isLast: endsTurn,
    limits: service.limits,
    signal,
    onRetry,
  });
}

/** Live events after the bookmark; to the end of its turn if it has one. */
export function followEvents(reading: Reading): AsyncGenerator<TurnEvent> {
  const { service, bookmark, signal, onRetry } = reading;
  const ofOneTurn = bookmark.turnId !== null;
  return resumableStream({
    open: () => withRetries(service, reading, () => replay(reading)),
    reopen: () => replay(reading),
    advance: (event) => advance(bookmark, event, { namesTurn: false }),
    isLast: (event) => ofOneTurn && endsTurn(event),
    limits: service.limits,
    signal,
    onRetry,
  });
}

async function replay({ service, bookmark, signal }: Reading): Promise<AsyncIterable<TurnEvent>> {
  const { turnId, taskId, after } = bookmark;
  const query = queryOf({ turn_id: turnId, task_id: turnId === null ? taskId : null, after, follow: true });
  const { headers, chunks } = await openStream(service, { method: "GET", path: `/execute/replay${query}`, signal });
  // A reader without a position has missed nothing.
  if (headers.get("x-truncated") === "true" && after !== null && after !== 0) {
    const message = `events after ${after} are no longer kept`;
    throw new OrchdError({ code: "EVENTS_TRUNCATED", message, details: { oldest_ts: headers.get("x-oldest-ts") } });
  }
  bookmark.replayed = true;
  return readEvents(chunks);
}

function advance(
  bookmark: Bookmark,
  event: TurnEvent,
  { namesTurn }: { readonly namesTurn: boolean },
): "new" | "transient" | "duplicate" {
  if (namesTurn) bookmark.turnId ??= turnIdOf(event);
  const seq = seqOf(event);
  if (seq === null) return "transient";
  if (typeof bookmark.after === "number" && seq <= bookmark.after) return "duplicate";
  bookmark.after = seq;
  return "new";
}
