import type {
  DeliveryState,
  NotificationDelivery,
  NotificationEndpoint,
} from "../../contract/orchestrator/notification.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { listDeliveries } from "../store/notification-deliveries.ts";
import { type CountedEndpoint, listEndpoints } from "../store/notification-endpoints.ts";
import type { NotificationDeliveryRow } from "../store/notification-tables.ts";
import type { Product } from "../store/products.ts";

export const endpointNotFound = (): ApiError =>
  new ApiError("ENDPOINT_NOT_FOUND", "the product has no notification endpoint with this id");

export async function endpointsOf(
  { db }: Pick<HostContext, "db">,
  { record: { id: productId } }: Product,
): Promise<readonly NotificationEndpoint[]> {
  return (await listEndpoints(db, { productId })).map(toRecord);
}

export async function lookUpEndpoint(
  { db }: Pick<HostContext, "db">,
  { record: { id: productId } }: Product,
  id: string,
): Promise<NotificationEndpoint> {
  const [row] = await listEndpoints(db, { productId, id });
  if (row === undefined) throw endpointNotFound();
  return toRecord(row);
}

interface DeliveryPage {
  readonly id: string;
  readonly state: DeliveryState | null;
  readonly before: string | null;
  readonly limit: number;
}

export async function deliveriesOf(
  host: Pick<HostContext, "db">,
  product: Product,
  { id, ...page }: DeliveryPage,
): Promise<readonly NotificationDelivery[]> {
  await lookUpEndpoint(host, product, id);
  return (await listDeliveries(host.db, { endpointId: id, ...page })).map(toDelivery);
}

const toRecord = (row: CountedEndpoint): NotificationEndpoint => ({
  id: row.id,
  url: row.url,
  events: row.events,
  enabled: row.enabled,
  paused_reason: row.paused_reason,
  pending: row.pending,
  dead: row.dead,
  last_delivered_at: row.last_delivered_at?.toISOString() ?? null,
  failing_since: row.failing_since?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const toDelivery = (row: NotificationDeliveryRow): NotificationDelivery => ({
  id: row.id,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  next_try_at: row.state === "pending" ? row.next_try_at.toISOString() : null,
  last_error: row.last_error,
  created_at: row.created_at.toISOString(),
  delivered_at: row.delivered_at?.toISOString() ?? null,
});
