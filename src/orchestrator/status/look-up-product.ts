import type { ProductRecord } from "../../contract/orchestrator/requests.ts";
import { findProduct, listProducts, type Product } from "../store/products.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { plainSettings } from "../../contract/engine/environment.ts";
import { openEngineEnv } from "../store/engine-env.ts";

export async function lookUpProduct(host: Pick<HostContext, "db" | "box">, idOrSlug: string): Promise<ProductRecord> {
  return productRecord(host, (await findProduct(host.db, idOrSlug)) ?? productNotFound(idOrSlug));
}

/** Products in order of registration, after the id `after`. */
export async function pageOfProducts(
  host: Pick<HostContext, "db" | "box">,
  page: { readonly after: string | null; readonly limit: number },
): Promise<ProductRecord[]> {
  return (await listProducts(host.db, page)).map((product) => productRecord(host, product));
}

export function productNotFound(idOrSlug: string): never {
  throw new ApiError("PRODUCT_NOT_FOUND", `no product has the slug or id ${idOrSlug.slice(0, 80)}`);
}

/** A product as admins see it, with the engine settings that hold no secret. */
export const productRecord = (host: Pick<HostContext, "box">, product: Product): ProductRecord => ({
  ...product.record,
  engine_env_values: plainSettings(readableEnv(host, product)),
});

function readableEnv(host: Pick<HostContext, "box">, product: Product): Record<string, string> {
  try {
    return openEngineEnv(host, product);
  } catch {
    // Sealed with another ORCH_SECRET_KEY. Starting an engine reports it. The record stays readable.
    return {};
  }
}
