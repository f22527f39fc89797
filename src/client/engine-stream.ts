import { TURN_ID_HEADER } from "../contract/engine/headers.ts";
import * as routes from "./engine-routes.ts";
import { type RetryOptions, type Service, openStream, withRetries } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { requestOf } from "./route.ts";
import { resumableStream } from "./resumable-stream.ts";
import { type TurnEvent, endsTurn, readEvents, seqOf, turnIdOf } from "./turn-event.ts";

/** A reader's position in the event log. */
export interface StreamPosition {
  /** Null until the engine has sent it, and for a reader of several turns. */
  turnId: string | null;
  taskId: string | null;
  /** The `seq` of the last event read, or another position in the log. */
  after: string | number | null;
  /** The events that it asked for, beyond those that every reader gets. */
  readonly events: string | undefined;
  /** Whether the engine sleeps: it said so after the last event. */
  asleep?: boolean;
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
export function executeTurn(reading: Reading, params: routes.ExecuteParams): AsyncGenerator<TurnEvent> {
  const { service, position, signal, onRetry } = reading;
  const post = async () => {
    const { headers, chunks } = await openStream(service, { ...requestOf(routes.execute, params), signal });
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

/**
 * Live events after the position, to the end of its turn if it has one. Without one, they end when the engine sleeps: to
 * reconnect would wake it. The daemon's gateway keeps the stream open instead.
 */
export function followEvents(reading: Reading): AsyncGenerator<TurnEvent> {
  const { service, position, signal, onRetry } = reading;
  const ofOneTurn = position.turnId !== null;
  return resumableStream({
    open: () => withRetries(service, reading, () => replay(reading)),
    reopen: () => replay(reading),
    advance: (event) => advance(position, event, { namesTurn: false }),
    isLast: (event) => ofOneTurn && endsTurn(event),
    isOver: () => position.asleep === true,
    limits: service.limits,
    signal,
    onRetry,
  });
}

async function replay({ service, position, signal }: Reading): Promise<AsyncIterable<TurnEvent>> {
  const { turnId, taskId, after, events } = position;
  const params = {
    turnId: turnId ?? undefined,
    taskId: turnId === null ? (taskId ?? undefined) : undefined,
    after: after === null ? undefined : String(after),
    follow: true,
    events,
  };
  const { headers, chunks } = await openStream(service, { ...requestOf(routes.replay, params), signal });
  // A reader without a position has missed nothing.
  if (headers.get("x-truncated") === "true" && after !== null && after !== 0) {
    const message = `events after ${after} are no longer stored; start at details.oldest_ts`;
    throw new OrchdError({ code: "EVENTS_TRUNCATED", message, details: { oldest_ts: headers.get("x-oldest-ts") } });
  }
  position.replayed = true;
  position.asleep = false;
  return readEvents(chunks, () => (position.asleep = true));
}

function advance(
  position: StreamPosition,
  event: TurnEvent,
  { namesTurn }: { readonly namesTurn: boolean },
): "new" | "transient" | "duplicate" {
  position.asleep = false;
  if (namesTurn) position.turnId ??= turnIdOf(event);
  const seq = seqOf(event);
  if (seq === null) return "transient";
  if (typeof position.after === "number" && seq <= position.after) return "duplicate";
  position.after = seq;
  return "new";
}
