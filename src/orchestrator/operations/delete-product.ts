import { ApiError } from "../api-error.ts";
import { deleteKeysOfProduct } from "../store/idempotency-keys.ts";
import { listEnginesOfProduct } from "../store/engines.ts";
import { deleteProduct as deleteRow, findProduct, lockPolicy } from "../store/products.ts";
import { recordProductChange } from "./change-product.ts";
import { productNotFound } from "../status/look-up-product.ts";
import { destroyRow } from "./destroy-engine.ts";
import { eraseKeptData } from "./erase-kept-data.ts";
import type { HostContext } from "../host-context.ts";

/**
 * Deletes a product, its idempotency keys and the kept data of its destroyed engines. A product with engines is refused
 * unless `force` is set, which destroys them first. Tested in test/end-to-end/product-deletion.test.ts.
 */
export async function deleteProduct(host: HostContext, idOrSlug: string, { force }: { force: boolean }): Promise<void> {
  const product = await findProduct(host.db, idOrSlug);
  if (product === null) return productNotFound(idOrSlug);
  const { id } = product.record;
  if (force) {
    const engines = await listEnginesOfProduct(host.db, id);
    await Promise.all(engines.map((engine) => destroyUnlessGone(destroyRow(host, engine, { keepData: false }))));
  }
  // Provisions wait for the same lock, so that no engine is created for a deleted product.
  const deleted = await host.db.transaction().execute(async (trx) => {
    await lockPolicy(trx, id);
    if (!(await deleteRow(trx, id))) return false;
    await deleteKeysOfProduct(trx, id);
    await recordProductChange(host, trx, {
      productId: id,
      type: "product.deleted",
      detail: { slug: product.record.slug, force },
    });
    return true;
  });
  host.directory.changed();
  if (!deleted)
    throw new ApiError(
      "PRODUCT_ALREADY_EXISTS",
      "the product still has engines; destroy them, or delete with ?force=true",
    );
  await eraseKeptData(host, id);
  await host.backend.catalogs.erase(id).catch((error: unknown) => {
    // Maintenance removes it later.
    host.logger.error({ err: error, product_id: id }, "failed to erase the catalog of a deleted product");
  });
}

async function destroyUnlessGone(destroyed: Promise<void>): Promise<void> {
  try {
    await destroyed;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "ENGINE_NOT_FOUND")) throw error;
  }
}
