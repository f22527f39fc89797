import { catalogChanges } from "../../contract/orchestrator/catalog-digest.ts";
import type { CatalogCheck, CatalogPushed, TriedCall } from "../../contract/orchestrator/catalog.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost } from "../host-context.ts";
import { productNotFound } from "../status/look-up-product.ts";
import { versionOf } from "../status/read-catalog.ts";
import { type Product, findProduct } from "../store/products.ts";
import { assertNotSuspended } from "./assert-admission.ts";
import { assertCurrent, publishCatalog } from "./publish-catalog.ts";

interface Push {
  /** A tar.gz archive. */
  readonly archive: Uint8Array;
  /** The version that must be the current one; null for any. */
  readonly ifVersion: number | null;
  readonly dryRun: boolean;
  /** A call to be judged by the rules. */
  readonly tried: TriedCall | null;
}

/**
 * Replaces a product's catalog by the files of an archive. The files are placed before the version is stored. A host that
 * lacks them later creates them from the database. Tested in test/end-to-end/product-catalog.test.ts.
 */
export async function pushCatalog(
  host: EngineHost,
  product: Product,
  { archive, ifVersion, dryRun, tried }: Push,
): Promise<CatalogPushed> {
  assertNotSuspended(product);
  const { id } = product.record;
  const { catalog } = (await findProduct(host.db, id)) ?? productNotFound(id);
  assertCurrent(catalog, ifVersion);
  await using staged = await host.backend.catalogs.stage(archive, tried);
  const { check, digest } = staged;
  assertValid(check);
  const { files, warnings } = check;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (dryRun) {
    const { list, ...version } = await versionOf(host, id, catalog.version);
    const changes = catalogChanges(list, files);
    const next = { ...version, digest, bytes, files: files.length, restored_from: null };
    return {
      ...next,
      is_new: digest !== catalog.digest,
      changes,
      warnings,
      engines: null,
      ...(tried && { tried: check.tried ?? null }),
    };
  }
  await staged.place(id);
  const next = { digest, files, bytes, restoredFrom: null, sealed: host.box.sealBytes(archive) };
  // `return await`: the staged files must not be disposed before this has settled.
  return await publishCatalog(host, product, { next, ifVersion, type: "catalog.pushed", warnings });
}

/** The first fault in the message, all of them in the details. */
function assertValid({ errors, more_errors: more }: CatalogCheck): void {
  const [first] = errors;
  if (first === undefined) return;
  const count = errors.length + more - 1;
  const others = count > 0 ? ` and ${count} more` : "";
  throw new ApiError("CATALOG_INVALID", `${first.path}: ${first.message}${others}; nothing was changed`, {
    details: { errors, ...(more > 0 && { more_errors: more }) },
  });
}
