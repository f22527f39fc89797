import { type NotificationDelivery, TEST_EVENT } from "../../contract/orchestrator/notification.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { lookUpEndpoint, toDelivery } from "../status/look-up-endpoint.ts";
import { insertDelivery, replayDeliveries } from "../store/notification-deliveries.ts";
import type { Product } from "../store/products.ts";

type Host = Pick<HostContext, "db" | "notified" | "now">;

/** Tries dead deliveries again, or one. Returns how many. */
export async function replayNotifications(
  host: Host,
  product: Product,
  { id, deliveryId }: { readonly id: string; readonly deliveryId: string | null },
): Promise<number> {
  await lookUpEndpoint(host, product, id);
  const replayed = await host.db
    .transaction()
    .execute((trx) => replayDeliveries(trx, { endpointId: id, id: deliveryId }));
  if (deliveryId !== null && replayed === 0)
    throw new ApiError("ENDPOINT_NOT_FOUND", "delivery_id: the endpoint has no such delivery");
  host.notified.ring();
  return replayed;
}

/** Sends a message that says nothing but that it is a test. */
export async function testEndpoint(host: Host, product: Product, id: string): Promise<NotificationDelivery> {
  await lookUpEndpoint(host, product, id);
  const payload = { type: TEST_EVENT, created_at: new Date(host.now()).toISOString(), data: {} };
  const row = await insertDelivery(host.db, { endpointId: id, payload });
  host.notified.ring();
  return toDelivery(row);
}
