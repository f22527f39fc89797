import type { CatalogFile, CatalogVersion, ProductCatalogRecord } from "../../contract/orchestrator/catalog.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { findVersion, listVersions } from "../store/catalogs.ts";
import { findProduct } from "../store/products.ts";
import { productNotFound } from "./look-up-product.ts";

const NO_VERSION = {
  version: 0,
  digest: null,
  bytes: 0,
  files: 0,
  restored_from: null,
  created_at: null,
  actor: null,
  list: [],
};

/** A version of a product's catalog with its files. */
export async function versionOf(
  { db }: Pick<HostContext, "db">,
  productId: string,
  version: number,
): Promise<CatalogVersion & { readonly list: readonly CatalogFile[] }> {
  if (version === 0) return NO_VERSION;
  const found = await findVersion(db, productId, version);
  if (found !== null) return found;
  throw new ApiError(
    "CATALOG_VERSION_NOT_FOUND",
    `the catalog has no version ${version}; GET /catalog/history lists those that are stored`,
  );
}

/** The current version of a product's catalog. */
export async function currentCatalog(host: Pick<HostContext, "db">, productId: string): Promise<ProductCatalogRecord> {
  const { catalog } = (await findProduct(host.db, productId)) ?? productNotFound(productId);
  const { list, ...version } = await versionOf(host, productId, catalog.version);
  return { ...version, files: list };
}

/** The stored versions of a product's catalog, the newest first. */
export const catalogHistory = (
  { db }: Pick<HostContext, "db">,
  productId: string,
): Promise<readonly CatalogVersion[]> => listVersions(db, productId);
