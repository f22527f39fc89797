import { TURN_ID_HEADER } from "../contract/engine-records.ts";
import { queryOf } from "./address.ts";
import { type RetryOptions, type Service, type Wish, openStream, persistently } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { resuming } from "./resuming.ts";
import { type TurnEvent, endsTurn, readEvents, seqOf, turnIdOf } from "./turn-event.ts";

/** How far a reader has come. */
export interface Bookmark {
  /** Null until the engine has named it; a reader of more than one turn has none. */
  turnId: string | null;
  taskId: string | null;
  /** The `seq` of the last event read, or what else stands for a place in the log. */
  after: string | number | null;
  /** What comes now may have been answered long ago. */
  replayed: boolean;
}

interface Reading extends RetryOptions {
  readonly service: Service;
  /** Changed as the reader goes on. */
  readonly bookmark: Bookmark;
  readonly signal: AbortSignal;
}

/** A turn's events from its beginning: `POST /execute`, and where that is cut the rest by replay. */
export function executeTurn(reading: Reading, wish: Pick<Wish, "body" | "headers">): AsyncGenerator<TurnEvent> {
  const { service, bookmark, signal, onRetry } = reading;
  const post = async () => {
    const { headers, chunks } = await openStream(service, { method: "POST", path: "/execute", signal, ...wish });
    bookmark.turnId ??= headers.get(TURN_ID_HEADER);
    bookmark.replayed = headers.get("idempotent-replayed") === "true";
    return readEvents(chunks);
  };
  return resuming({
    open: () => persistently(service, reading, post),
    // Without a turn's name the call is made again: its key lets it take up the turn that it may have begun.
    reopen: () => (bookmark.turnId === null ? post() : replay(reading)),
    take: (event) => take(bookmark, event, { namesTurn: true }),
    isLast: endsTurn,
    limits: service.limits,
    signal,
    onRetry,
  });
}

/** Events behind the bookmark, live; to the end of the turn if it names one. */
export function followEvents(reading: Reading): AsyncGenerator<TurnEvent> {
  const { service, bookmark, signal, onRetry } = reading;
  const ofOneTurn = bookmark.turnId !== null;
  return resuming({
    open: () => persistently(service, reading, () => replay(reading)),
    reopen: () => replay(reading),
    take: (event) => take(bookmark, event, { namesTurn: false }),
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
  // Who has read nothing yet is not told of what other turns have lost.
  if (headers.get("x-truncated") === "true" && after !== null && after !== 0) {
    const message = `events after ${after} are no longer kept`;
    throw new OrchdError({ code: "EVENTS_TRUNCATED", message, details: { oldest_ts: headers.get("x-oldest-ts") } });
  }
  bookmark.replayed = true;
  return readEvents(chunks);
}

function take(bookmark: Bookmark, event: TurnEvent, { namesTurn }: { namesTurn: boolean }): "new" | "passing" | "seen" {
  if (namesTurn) bookmark.turnId ??= turnIdOf(event);
  const seq = seqOf(event);
  if (seq === null) return "passing";
  if (typeof bookmark.after === "number" && seq <= bookmark.after) return "seen";
  bookmark.after = seq;
  return "new";
}
