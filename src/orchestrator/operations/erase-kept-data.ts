import { join } from "node:path";
import { listFolder, removeEngineFolder, keptFolders } from "../fleet/engine-folder.ts";
import { deletedProducts } from "../store/audit-log.ts";
import { findProduct } from "../store/products.ts";
import type { HostContext } from "../host-context.ts";

/** Erases the data of a deleted product's users. A failure is logged and made good by {@link sweepKeptData}. */
export async function eraseKeptData(host: Pick<HostContext, "settings" | "logger">, productId: string): Promise<void> {
  try {
    await removeEngineFolder(join(keptFolders(host), productId));
  } catch (error) {
    host.logger.error({ err: error, product_id: productId }, "failed to erase the kept data of a deleted product");
  }
}

/**
 * Erases what is left of deleted products. A product that merely does not exist is left alone: the database may be a
 * backup that knows too little, or the wrong one. Only the audit log tells that a product was deleted.
 */
export async function sweepKeptData(host: Pick<HostContext, "db" | "settings" | "logger">): Promise<void> {
  const unknown: string[] = [];
  for (const id of await listFolder(keptFolders(host))) {
    if ((await findProduct(host.db, id)) === null) unknown.push(id);
  }
  const deleted = await deletedProducts(host.db, unknown);
  for (const id of unknown) {
    if (deleted.has(id)) await eraseKeptData(host, id);
    else
      host.logger.warn(
        { folder: join(keptFolders(host), id) },
        "kept data of a product that the database does not know",
      );
  }
}
