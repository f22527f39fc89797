import type { EngineState, IsoTime } from "./orchestrator-records.ts";

/** Every event type. A test compares the documented table with it. */
export const ORCHESTRATOR_EVENTS = {
  "product.registered": "A product was registered.",
  "product.policy_changed": "A product's policy was changed.",
  "product.key_rotated": "A product's platform key was replaced.",
  "product.deleted": "A product was deleted.",
  "engine.provisioned": "An engine was made: its row, port and key exist.",
  "engine.starting": "An engine's process starts, by request.",
  "engine.running": "An engine is healthy, for the first time of this life or again.",
  "engine.unhealthy": "An engine lives but missed 3 probes.",
  "engine.crashed": "An engine that was wanted ended; it starts again at `data.next_at`.",
  "engine.restarting": "An engine that had ended starts again.",
  "engine.gave_up":
    "An engine is `failed`: it did not come up, or used up its restarts. `reason` and `data` tell its last end: `phase`, `exit_code`, `signal`, `oom`, `log_tail`.",
  "engine.stopping": "An engine is being stopped or destroyed.",
  "engine.stopped": "An engine is at rest.",
  "engine.adopted": "A daemon found an engine of the daemon before it.",
  "engine.key_rotated": "An engine's key was replaced.",
  "engine.destroyed": "An engine is gone.",
  "engine.leaked": "Processes of an engine would not die, or keep its port: `data.pids`.",
  "host.draining": "The host takes no new engines.",
  "host.resumed": "The host takes new engines again.",
  "host.port_taken": "Another program listens on the port chosen for an engine, which got another one.",
  "host.breaker_opened": "Many engines fail at once: restarts pause.",
  "host.breaker_closed": "Restarts go on.",
} as const satisfies Record<string, string>;
export type EventType = keyof typeof ORCHESTRATOR_EVENTS;

/** The cause of a change: a product's call, an operator's call, or the daemon itself. */
export type Actor = "product" | "admin" | "orchd";

export interface EventRecord {
  readonly id: string;
  readonly type: EventType;
  readonly time: IsoTime;
  readonly product_id: string | null;
  readonly user_id: string | null;
  readonly engine_id: string | null;
  readonly incarnation: string | null;
  readonly from: EngineState | null;
  readonly to: EngineState | null;
  readonly reason: string | null;
  readonly actor: Actor;
  readonly request_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The first frame of a live stream when events after the reader's last one are no longer stored. */
export const GAP_EVENT = "gap";
