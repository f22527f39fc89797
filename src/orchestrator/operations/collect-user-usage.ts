import type { HostContext } from "../host-context.ts";
import type { Product } from "../store/products.ts";
import { readEngineStatus } from "../supervision/read-engine-status.ts";

/** Collects what a running engine has spent until now, so that a list of its user is exact. */
export async function collectUserUsage(
  host: Pick<HostContext, "db" | "events" | "live" | "lanes" | "now" | "logger" | "metrics">,
  product: Product,
  userId: string,
): Promise<void> {
  const isUsers = ({ productId, order }: { productId: string; order: { launch: { user_id: string } } }) =>
    productId === product.record.id && order.launch.user_id === userId;
  const live = host.live.all().find(isUsers);
  if (live !== undefined && live.fallingAsleep === null) await readEngineStatus(host, live);
}
