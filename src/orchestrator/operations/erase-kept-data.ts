import { deletedProducts } from "../store/audit-log.ts";
import { findProduct } from "../store/products.ts";
import type { HostContext } from "../host-context.ts";

/** Erases the kept data of a deleted product. A failure is logged and retried by {@link sweepKeptData}. */
export async function eraseKeptData(host: Pick<HostContext, "backend" | "logger">, productId: string): Promise<void> {
  try {
    await host.backend.storage.eraseKeptOf(productId);
  } catch (error) {
    host.logger.error({ err: error, product_id: productId }, "failed to erase the kept data of a deleted product");
  }
}

/**
 * Erases kept data of products that the audit log records as deleted. Data of an unknown product stay: the database may
 * be an old backup or the wrong one.
 */
export async function sweepKeptData(host: Pick<HostContext, "db" | "backend" | "logger">): Promise<void> {
  const unknown: string[] = [];
  for (const id of await host.backend.storage.keptProducts()) {
    if ((await findProduct(host.db, id)) === null) unknown.push(id);
  }
  const deleted = await deletedProducts(host.db, unknown);
  for (const id of unknown) {
    if (deleted.has(id)) await eraseKeptData(host, id);
    else host.logger.warn({ product_id: id }, "found kept data of an unknown product");
  }
}
