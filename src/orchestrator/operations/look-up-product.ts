import type { ProductRecord } from "../../contract/orchestrator-api.ts";
import { findProduct, listProducts } from "../store/products.ts";
import { noProduct } from "./change-product.ts";
import type { Orchestration } from "./orchestration.ts";
import { productRecord } from "./product-record.ts";

export async function lookUpProduct(o: Orchestration, idOrSlug: string): Promise<ProductRecord> {
  return productRecord(o, (await findProduct(o.db, idOrSlug)) ?? noProduct(idOrSlug));
}

/** Products in the order they were registered, from behind `after` (an id). */
export async function pageOfProducts(
  o: Orchestration,
  page: { readonly after: string | null; readonly limit: number },
): Promise<ProductRecord[]> {
  return (await listProducts(o.db, page)).map((product) => productRecord(o, product));
}
