import { sql } from "kysely";
import type { EngineState } from "../../contract/orchestrator/requests.ts";
import type { EventType } from "../../contract/orchestrator/event-types.ts";
import { newId } from "../../shared/ids.ts";
import { origin } from "./events.ts";

/** The event of entering a state, unless a move names another one. */
export const EVENT_OF_STATE: Readonly<Record<EngineState, EventType>> = {
  provisioning: "engine.provisioned",
  starting: "engine.starting",
  running: "engine.running",
  unhealthy: "engine.unhealthy",
  sleeping: "engine.slept",
  backoff: "engine.crashed",
  stopping: "engine.stopping",
  stopped: "engine.stopped",
  failed: "engine.gave_up",
  stop_failed: "engine.leaked",
  destroying: "engine.stopping",
};

/** The state of an engine in its events. A sleep shows once the process is gone: an engine may refuse it. */
export const EVENT_STATE = sql<EngineState>`case when engines.state = 'sleeping' and engines.handle is not null
  then 'running' else engines.state end`;

/** The columns of an inserted event, in the order of {@link stateEvent}. */
export const EVENT_COLUMNS = [
  "id",
  "host_id",
  "type",
  "reason",
  "actor",
  "request_id",
  "data",
  "product_id",
  "user_id",
  "engine_id",
  "incarnation",
] as const;

/** The event of a `moved` row, in the order of `EVENT_COLUMNS`. */
export function stateEvent(
  hostId: string,
  type: EventType,
  { reason, data = {} }: { reason?: string; data?: Readonly<Record<string, unknown>> },
) {
  const { actor, request_id } = origin();
  const text = (value: string | null) => sql<string>`${value}::text`;
  return [
    text(newId("evt")).as("event_id"),
    text(hostId).as("event_host"),
    text(type).as("event_type"),
    text(reason ?? null).as("event_reason"),
    text(actor).as("event_actor"),
    text(request_id).as("event_request"),
    sql<string>`${JSON.stringify(data)}::jsonb`.as("event_data"),
    "moved.product_id",
    "moved.user_id",
    "moved.id",
    "moved.incarnation",
  ] as const;
}
