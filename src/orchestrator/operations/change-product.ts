import type { ProductRecord } from "../../contract/orchestrator-api.ts";
import { ApiError } from "../api-error.ts";
import type { Trx } from "../store/database.ts";
import { type Product, lockProduct } from "../store/products.ts";
import type { Orchestration } from "./orchestration.ts";

/** Changes one product under its lock; what this daemon remembers of products is dropped before the answer. */
export async function changeProduct(
  o: Orchestration,
  idOrSlug: string,
  change: (trx: Trx, product: Product) => Promise<Product | null>,
): Promise<ProductRecord> {
  const changed = await o.db.transaction().execute(async (trx) => {
    const product = await lockProduct(trx, idOrSlug);
    return product === null ? null : change(trx, product);
  });
  o.directory.changed();
  return changed?.record ?? noProduct(idOrSlug);
}

export function noProduct(idOrSlug: string): never {
  throw new ApiError("PRODUCT_NOT_FOUND", `no product has the slug or id ${idOrSlug.slice(0, 80)}`);
}
