import { keepRequest } from "../../shared/request-context.ts";
import { ApiError } from "../api-error.ts";
import { deleteKeysOfProduct } from "../store/idempotency-keys.ts";
import { listEnginesOfProduct } from "../store/engines.ts";
import { type Product, deleteProduct as deleteRow, findProduct, lockPolicy, startDeletion } from "../store/products.ts";
import { isDatabaseUnavailable } from "../store/database.ts";
import type { EngineRow } from "../store/tables.ts";
import { recordProductChange } from "./change-product.ts";
import { productNotFound } from "../status/look-up-product.ts";
import { destroyRow } from "./destroy-engine.ts";
import { eraseKeptData } from "./erase-kept-data.ts";
import type { EngineHost, HostContext, Service } from "../host-context.ts";

/**
 * Deletes a product, its idempotency keys and the kept data of its destroyed engines. A product with engines is refused
 * unless `force` is set, which destroys them first. After a failure the product stays marked as being deleted, and a
 * repeated call continues. Tested in test/end-to-end/product-deletion.test.ts.
 */
export async function deleteProduct(
  host: EngineHost & Service,
  idOrSlug: string,
  { force }: { force: boolean },
): Promise<void> {
  const product = await findProduct(host.db, idOrSlug);
  if (product === null) return productNotFound(idOrSlug);
  const { id } = product.record;
  // A concurrent call waits here, and then finds nothing left or continues after a failure.
  await host.lanes.run(`deletion ${id}`, async () => {
    if (force) await destroyEngines(host, id);
    const outcome = await deleteEmpty(host, product, force);
    host.directory.changed();
    if (outcome === "has_engines")
      throw new ApiError(
        "PRODUCT_ALREADY_EXISTS",
        "the product still has engines; destroy them, or delete with ?force=true",
      );
    if (outcome === "was_deleted") return;
    await eraseKeptData(host, id);
    await host.backend.catalogs.erase(id).catch((error: unknown) => {
      // Maintenance removes it later.
      host.logger.error({ err: error, product_id: id }, "failed to erase the catalog of a deleted product");
    });
  });
}

/** Throws the first error after all engines, except that it ends with the database. */
async function destroyEngines(host: EngineHost & Service, productId: string): Promise<void> {
  await startDeletion(host.db, productId);
  host.directory.changed();
  const failures: unknown[] = [];
  let hasDatabase = true;
  const destroy = async (engine: EngineRow) => {
    if (!hasDatabase) return;
    try {
      host.readiness.assertServes("write");
      await destroyRow(host, engine, { keepData: false });
    } catch (error) {
      if (error instanceof ApiError && error.code === "ENGINE_NOT_FOUND") return;
      failures.push(error);
      hasDatabase = !isDatabaseUnavailable(error);
    }
  };
  const engines = await listEnginesOfProduct(host.db, productId);
  await host.destroys.addAll(
    engines.map((engine) => keepRequest(() => destroy(engine))),
    { lane: productId },
  );
  if (failures.length > 0) throw failures[0];
}

async function deleteEmpty(
  host: Pick<HostContext, "db" | "events">,
  { record: { id, slug } }: Product,
  force: boolean,
): Promise<"deleted" | "was_deleted" | "has_engines"> {
  return host.db.transaction().execute(async (trx) => {
    // Provisions wait for the same lock, so that no engine is created for a deleted product.
    if ((await lockPolicy(trx, id)) === null) return "was_deleted";
    if (!(await deleteRow(trx, id))) return "has_engines";
    await deleteKeysOfProduct(trx, id);
    await recordProductChange(host, trx, { productId: id, type: "product.deleted", detail: { slug, force } });
    return "deleted";
  });
}
