import * as z from "zod/mini";
import { engineState } from "./engine.ts";
import { ACTORS, type EventType, GAP_EVENT, ORCHESTRATOR_EVENTS } from "./event-types.ts";
import { type RecordOf, field, nullable, record, page } from "../record.ts";
import { jsonObject, text, time } from "../response-schemas.ts";

const eventType = z
  .enum(Object.keys(ORCHESTRATOR_EVENTS) as [EventType, ...EventType[]])
  .check(z.meta({ title: "EventType" }));

const eventRecord = record("EventRecord", "A change, written in one transaction with it.", {
  id: field(text, "The event's id. `Last-Event-ID` resumes a stream after it.", "evt_01jd3v9c0p"),
  type: field(eventType, "What happened: a type of the table of events.", "engine.running"),
  time: field(time, "When it happened."),
  product_id: nullable(text, "The product's id. `null` for an event of the host.", "prd_01jd3v7xq4"),
  user_id: nullable(text, "The product's id of the user. `null` unless it is about one user.", "alice"),
  engine_id: nullable(text, "The engine's id. `null` unless it is about one engine.", "eng_01jd3v8k2m"),
  incarnation: nullable(text, "The life of the engine's process. `null` unless it is about one."),
  from: nullable(engineState, "The engine's state before. `null` unless the state changed.", "starting"),
  to: nullable(engineState, "The engine's state after. `null` unless the state changed.", "running"),
  reason: nullable(text, "Why, for people; of some types one of the words that the table of events lists.", null),
  actor: field(
    z.enum(ACTORS),
    "The cause: a call of the product, a call of an operator, or the daemon itself.",
    "orchd",
  ),
  request_id: nullable(text, "The `X-Request-Id` of the call that caused it. `null` without a call.", null),
  data: field(jsonObject, "Further fields, which the table of events lists for each type.", {}),
});
export type EventRecord = RecordOf<typeof eventRecord>;

/** One frame of an event stream as an object: its `event:` line, and its `data:` line read as JSON. */
const eventFrame = z
  .union([
    z.object({
      event: field(eventType, "The event's type.", "engine.running"),
      data: field(eventRecord, "The event."),
    }),
    z.object({
      event: field(z.literal(GAP_EVENT), "Events after the reader's last one are no longer stored."),
      data: field(
        z.object({ after: nullable(text, "The `Last-Event-ID` that the reader sent.") }),
        "Where the gap is. The frame is the first one of its stream.",
      ),
    }),
  ])
  .check(z.meta({ description: "One frame of an event stream." }));

export const EVENT_RESPONSES = {
  EventRecord: eventRecord,
  EventFrame: eventFrame,
  EventPage: page(eventRecord, "Events, the newest first."),
};
