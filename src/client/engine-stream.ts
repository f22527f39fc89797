import { TURN_ID_HEADER } from "../contract/engine-records.ts";
import { queryOf } from "./address.ts";
import { type RequestParams, type RetryOptions, type Service, openStream, withRetries } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { resumableStream } from "./resumable-stream.ts";
import { type TurnEvent, endsTurn, readEvents, seqOf, turnIdOf } from "./turn-event.ts";

/** A reader's position in the event log. */
export interface StreamPosition {
  /** Null until the engine has sent it, and for a reader of several turns. */
  turnId: string | null;
  taskId: string | null;
  /** The `seq` of the last event read, or another position in the log. */
  after: string | number | null;
  /** Whether the events are replayed, so that their requests may have been answered already. */
  replayed: boolean;
}

interface Reading extends RetryOptions {
  readonly service: Service;
  /** Updated with each event. */
  readonly position: StreamPosition;
  readonly signal: AbortSignal;
}

/** A turn's events from the first one: by `POST /execute`, and after a lost connection by replay. */
export function executeTurn(
  reading: Reading,
  request: Pick<RequestParams, "body" | "headers">,
): AsyncGenerator<TurnEvent> {
  const { service, position, signal, onRetry } = reading;
  const post = async () => {
    const { headers, chunks } = await openStream(service, { method: "POST", path: "/execute", signal, ...request });
    position.turnId ??= headers.get(TURN_ID_HEADER);
    position.replayed = headers.get("idempotent-replayed") === "true";
    return readEvents(chunks);
  };
  return resumableStream({
    open: () => withRetries(service, reading, post),
    // Without a turn ID the call is sent again. Its idempotency key resumes the turn if the first call started it.
    reopen: () => (position.turnId === null ? post() : replay(reading)),
    advance: (event) => advance(position, event, { namesTurn: true }),
    isLast: endsTurn,
    limits: service.limits,
    signal,
    onRetry,
  });
}

/** Live events after the position, to the end of its turn if it has one. */
export function followEvents(reading: Reading): AsyncGenerator<TurnEvent> {
  const { service, position, signal, onRetry } = reading;
  const ofOneTurn = position.turnId !== null;
  return resumableStream({
    open: () => withRetries(service, reading, () => replay(reading)),
    reopen: () => replay(reading),
    advance: (event) => advance(position, event, { namesTurn: false }),
    isLast: (event) => ofOneTurn && endsTurn(event),
    limits: service.limits,
    signal,
    onRetry,
  });
}

async function replay({ service, position, signal }: Reading): Promise<AsyncIterable<TurnEvent>> {
  const { turnId, taskId, after } = position;
  const query = queryOf({ turn_id: turnId, task_id: turnId === null ? taskId : null, after, follow: true });
  const { headers, chunks } = await openStream(service, { method: "GET", path: `/execute/replay${query}`, signal });
  // A reader without a position has missed nothing.
  if (headers.get("x-truncated") === "true" && after !== null && after !== 0) {
    const message = `events after ${after} are no longer stored; start at details.oldest_ts`;
    throw new OrchdError({ code: "EVENTS_TRUNCATED", message, details: { oldest_ts: headers.get("x-oldest-ts") } });
  }
  position.replayed = true;
  return readEvents(chunks);
}

function advance(
  position: StreamPosition,
  event: TurnEvent,
  { namesTurn }: { readonly namesTurn: boolean },
): "new" | "transient" | "duplicate" {
  if (namesTurn) position.turnId ??= turnIdOf(event);
  const seq = seqOf(event);
  if (seq === null) return "transient";
  if (typeof position.after === "number" && seq <= position.after) return "duplicate";
  position.after = seq;
  return "new";
}
