import type { CatalogPushed } from "../../contract/orchestrator/catalog.ts";
import type { EngineHost } from "../host-context.ts";
import { versionOf } from "../status/read-catalog.ts";
import type { Product } from "../store/products.ts";
import { prepareCatalog } from "../supervision/prepare-catalog.ts";
import { assertNotSuspended } from "./assert-admission.ts";
import { publishCatalog } from "./publish-catalog.ts";

/** Makes the files of an earlier version a new one. Tested in test/end-to-end/product-catalog.test.ts. */
export async function rollbackCatalog(
  host: EngineHost,
  product: Product,
  { version, ifVersion }: { readonly version: number; readonly ifVersion: number | null },
): Promise<CatalogPushed> {
  assertNotSuspended(product);
  const { list: files, digest, bytes } = await versionOf(host, product.record.id, version);
  await prepareCatalog(host, product.record.id, { digest });
  const next = { digest, files, bytes, restoredFrom: version, sealed: null };
  return publishCatalog(host, product, { next, ifVersion, type: "catalog.rolled_back", warnings: [] });
}
