import type { EngineEventData, StoredEvent } from "./record-types.ts";
import { ENGINE_EVENT_TYPES } from "./event-types.ts";
import { OrchdError } from "./orchd-error.ts";
import { retryAfterOf } from "./read-response.ts";
import { type SseFrame, readFrames } from "./sse-frames.ts";

export interface HeartbeatEvent {
  readonly event: "heartbeat";
  readonly data: EngineEventData["heartbeat"];
}

/** An event type of a newer engine. */
export interface UnknownEvent {
  readonly event: "unknown";
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type TurnEvent = StoredEvent | HeartbeatEvent | UnknownEvent;

/** The events of an engine's stream. `onSleep` is called when the engine sleeps. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  onSleep: () => void = () => undefined,
): AsyncGenerator<TurnEvent> {
  const onComment = (comment: string) => {
    if (comment.trimStart().startsWith("sleeping ")) onSleep();
  };
  for await (const frame of readFrames(chunks, onComment)) {
    if (frame.type !== null) yield toEvent(frame.type, dataOf(frame));
  }
}

/** A typed event; a type unknown to this client becomes `unknown` with all its data. */
export function toEvent(type: string, data: Readonly<Record<string, unknown>>): TurnEvent {
  // The fields of a known type are not checked: the engine is trusted.
  return ENGINE_EVENT_TYPES.includes(type)
    ? ({ event: type, data } as unknown as TurnEvent)
    : { event: "unknown", type, data };
}

export const seqOf = ({ data }: TurnEvent): number | null =>
  "seq" in data && typeof data.seq === "number" ? data.seq : null;

export const turnIdOf = ({ data }: TurnEvent): string | null =>
  "turn_id" in data && typeof data.turn_id === "string" ? data.turn_id : null;

/** A turn's last event: `completed`, or `error`, which follows `errored`. */
export const endsTurn = (event: TurnEvent): boolean =>
  event.event === "error" || (event.event === "thread_lifecycle" && event.data.phase === "completed");

/** An `error` event as an error to throw. */
export const toError = ({ error, message, details }: EngineEventData["error"]): OrchdError =>
  new OrchdError({ code: error, message, details, retryAfterS: retryAfterOf(details) });

/** The data of a frame. `CONNECTION_LOST` if they are not a JSON object. */
export function dataOf({ type, data }: SseFrame): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw invalidEvent(type, error);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalidEvent(type);
  return value as Record<string, unknown>;
}

/** `CONNECTION_LOST` is retried, because another connection may transfer the event intact. */
const invalidEvent = (type: string | null, cause?: unknown): OrchdError =>
  new OrchdError({ code: "CONNECTION_LOST", message: `a ${type} event of the stream is not a JSON object`, cause });
