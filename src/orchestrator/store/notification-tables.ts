import type { ColumnType, Generated, JSONColumnType, Selectable } from "kysely";
import type { DeliveryState } from "../../contract/orchestrator/notification.ts";

export interface NotificationEndpointsTable {
  id: string;
  product_id: string;
  url: string;
  events: string[];
  enabled: Generated<boolean>;
  paused_reason: Generated<string | null>;
  /** Sealed with the deployment's secret key. */
  secret: Buffer;
  previous_secret: Generated<Buffer | null>;
  previous_expires_at: Generated<Date | null>;
  last_delivered_at: Generated<Date | null>;
  /** Since when every try has failed. */
  failing_since: Generated<Date | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}
export type NotificationEndpointRow = Selectable<NotificationEndpointsTable>;

/** What a delivery says beside its id. */
export interface NotificationPayload {
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface NotificationDeliveriesTable {
  id: string;
  /** The order of the deliveries of an engine. */
  seq: ColumnType<string, never, never>;
  endpoint_id: string;
  /** Empty for an event of no engine. */
  engine_id: string;
  type: string;
  payload: JSONColumnType<NotificationPayload>;
  state: Generated<DeliveryState>;
  attempts: Generated<number>;
  next_try_at: Generated<Date>;
  last_error: Generated<string | null>;
  created_at: Generated<Date>;
  delivered_at: Generated<Date | null>;
}
export type NotificationDeliveryRow = Selectable<NotificationDeliveriesTable>;

export interface NotificationPositionTable {
  id: Generated<boolean>;
  /** The last event that was turned into deliveries. */
  seq: string;
}
